// Which call a first one is: of an operation that changes nothing and needs little, from the OpenAPI
// document of the version.

import { sampleText } from "../../reference/document/body";
import { inline } from "../../reference/document/narrow";
import {
  type Operation,
  type OperationHead,
  contents,
  keyOf,
  operationOf,
} from "../../reference/document/operations";
import { givenOf } from "../../reference/document/sample";
import type { CallRequest } from "../../reference/call";
import { fill } from "../../reference/request";

/** A call that can be made as it stands, below the version's address. */
export function exampleCall(document: unknown, address: string): CallRequest {
  const [head] = contents(document).operations.toSorted((one, other) => cost(one) - cost(other));
  if (head === undefined) return { method: "GET", url: `${address}/`, headers: [] };
  const operation = operationOf(document, head);
  const body = operation.body?.bodies[0];
  return fill(document, address, operation, {
    values: valuesOf(document, operation),
    bodyType: body?.type,
    body: body ? sampleText(document, body, true) : "",
  }).request;
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"];

/** What changes something comes last; then what needs many values. */
function cost({ method, path }: OperationHead): number {
  const place = METHODS.indexOf(method);
  return (place < 0 ? METHODS.length : place) * 100 + path.split("{").length;
}

/** Where the document gives no value for a parameter. */
const ANY = "1";

function valuesOf(document: unknown, { parameters }: Operation): ReadonlyMap<string, string> {
  const required = parameters.filter(({ isRequired }) => isRequired);
  return new Map(
    required.map((parameter): [string, string] => {
      const given = parameter.example ?? givenOf(document, parameter.schema);
      return [keyOf(parameter), inline(given) || ANY];
    }),
  );
}
