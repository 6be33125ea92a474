// Operations that can have steps of their own, by method and path.

import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";

/** Returns the names; none for SOAP services, which are not parsed. */
export function operationNames({ operations = [], soap }: Configuration): string[] {
  const named = soap
    ? (soap.rest?.resources ?? []).filter(({ enabled }) => enabled !== false)
    : operations;
  return named.map(({ method, path }) => `${method} ${path}`);
}

/** Names several operations by the first. */
export function operationsText(operations: readonly string[]): string {
  const [first = text.ui.none] = operations;
  return text.publisher.version.policies.scope.choice(first, Math.max(operations.length - 1, 0));
}
