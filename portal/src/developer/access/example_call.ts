// Selects the operation of the first call: one that changes nothing and needs few values.

import type { CallRequest } from "../../reference/call_request";
import type { Described } from "../../reference/described";
import type { Contents, Operation, OperationHead } from "../../reference/document/operations";
import { keyOf } from "../../reference/document/parameters";
import { givenOf } from "../../reference/document/given";
import { initialBody } from "../../reference/prepared_body";
import { fill } from "../../reference/request";
import { parameterText } from "../../reference/typed";

/** Returns the operation to call first; undefined if there is none. */
export function firstOf({ operations }: Contents): OperationHead | undefined {
  const callable = operations.filter(({ isWebhook }) => !isWebhook);
  return callable.toSorted((one, other) => cost(one) - cost(other))[0];
}

/**
 * Returns a complete call below the version's address: of its root if no operation is known.
 */
export function exampleCall(described: Described | undefined, address: string): CallRequest {
  const head = described && firstOf(described.contents);
  if (!described || !head) return { method: "GET", url: `${address}/`, headers: [] };
  return callOf(described, head, address);
}

/** Returns a complete call of an operation below the version's address. */
export function callOf(described: Described, head: OperationHead, address: string): CallRequest {
  const { document } = described;
  const operation = described.operation(head);
  const bodies = (operation.body?.bodies ?? []).map((it) => initialBody(document, it));
  const { request } = fill(document, address, operation, {
    values: valuesOf(document, operation),
    body: bodies.find((it) => it !== undefined),
  });
  return { ...request, headers: [...(described.headers?.(head) ?? []), ...request.headers] };
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"];

/** Ranks operations: those that change something last, those that need many values late. */
function cost({ method, path }: OperationHead): number {
  const place = METHODS.indexOf(method);
  return (place < 0 ? METHODS.length : place) * 100 + path.split("{").length;
}

/** Value of a parameter if the document has no example. */
const ANY = "1";

function valuesOf(document: unknown, { parameters }: Operation): ReadonlyMap<string, string> {
  const required = parameters.filter(({ isRequired }) => isRequired);
  return new Map(
    required.map((parameter): [string, string] => {
      const given = parameter.example ?? givenOf(document, parameter.schema);
      return [keyOf(parameter), parameterText(document, parameter, given) || ANY];
    }),
  );
}
