// Changes of caller authentication by a deployment: the served state and the new state, in words.

import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { readSecurity } from "./security_fields";

const words = text.publisher.version.security;
const differs = text.publisher.version.deploy.security;

export interface SecurityChange {
  what: string;
  served: string;
  draft: string;
}

interface Access {
  anonymous?: boolean;
  scopes?: readonly string[];
}

/** Returns differences in credentials, scopes and access to each operation. */
export function securityChanges(served: Configuration, draft: Configuration): SecurityChange[] {
  const rows: SecurityChange[] = [
    { what: differs.schemes, served: schemesOf(served), draft: schemesOf(draft) },
    { what: words.scopes, served: scopesOf(served), draft: scopesOf(draft) },
  ];
  const [before, now] = [accessOf(served), accessOf(draft)];
  for (const [what, access] of now) {
    // A new operation is reported as a change of operations.
    rows.push({ what, served: before.get(what) ?? access, draft: access });
  }
  return rows.filter((row) => row.served !== row.draft);
}

function schemesOf(configuration: Configuration): string {
  const { schemes, require, header, query } = readSecurity(configuration);
  const named = schemes.map((scheme) => {
    const { label } = words.scheme[scheme];
    return scheme === "api_key" ? differs.key(label, header, query) : label;
  });
  return named.join(require === "all" ? differs.and : differs.or);
}

function scopesOf(configuration: Configuration): string {
  const { scopes } = readSecurity(configuration);
  const named = scopes.map(({ name, granted }) =>
    text.publisher.import.security.scope(name, granted),
  );
  return named.toSorted().join(", ") || text.ui.none;
}

/** Returns the access rule of each operation, by its name. */
function accessOf({ operations, soap }: Configuration): ReadonlyMap<string, string> {
  const rest = operations?.map((it) => [`${it.method} ${it.path}`, it] as const) ?? [];
  const named = soap?.operations?.map((it) => [it.name, it] as const) ?? [];
  return new Map([...rest, ...named].map(([name, operation]) => [name, accessInWords(operation)]));
}

/** Formats what a call of an operation must carry. */
export function accessInWords({ anonymous, scopes = [] }: Access): string {
  if (anonymous) return differs.anonymous;
  return scopes.length > 0 ? differs.needs(scopes.toSorted().join(", ")) : differs.any;
}
