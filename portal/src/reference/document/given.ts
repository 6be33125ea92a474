// The values that a schema itself provides: examples, a constant, a default, an enumeration. Those
// that the schema does not allow are passed over.

import { list, member, plain } from "./narrow";
import { follow } from "./pointer";
import { jsonTypesOf } from "./types";
import { violationsOf } from "./violations";

/** Maximum number of values of an enumeration that are tried. */
const VALUES_MAX = 50;

/** Returns the first value that the schema provides and allows. */
export function givenOf(document: unknown, schema: unknown): unknown {
  return allowedOf(document, schema, providedBy(follow(document, schema).value));
}

/** Returns what a schema provides for a response, which may have members that requests lack. */
export function givenAnswerOf(document: unknown, schema: unknown): unknown {
  const { value } = follow(document, schema);
  const isShown = (it: unknown) => it !== null || isAllowed(document, schema, null);
  return providedBy(value).find((it) => it !== undefined && isShown(it));
}

/** Returns the first of some values that a schema allows, also if written as another type. */
export function allowedOf(document: unknown, schema: unknown, values: readonly unknown[]): unknown {
  const given = values.filter((it) => it !== undefined);
  if (given.length === 0) return undefined;
  const types = jsonTypesOf(document, schema);
  const candidates = given.flatMap((it) => [it, ...otherwiseWritten(types, it)]);
  return candidates.find((it) => isAllowed(document, schema, it));
}

export function isAllowed(document: unknown, schema: unknown, value: unknown): boolean {
  return violationsOf(document, schema, value).length === 0;
}

function providedBy(value: unknown): unknown[] {
  const values = list(member(value, "enum")).slice(0, VALUES_MAX);
  return [
    member(value, "example"),
    ...list(member(value, "examples")).slice(0, VALUES_MAX),
    member(value, "const"),
    member(value, "default"),
    ...values.filter((it) => it !== null),
    ...values.filter((it) => it === null),
  ];
}

/**
 * Many documents write texts such as 12345 without quotes, and objects, lists and numbers as JSON
 * in a text.
 */
function otherwiseWritten(types: ReadonlySet<string>, value: unknown): unknown[] {
  if (types.size === 0) return [];
  if (typeof value === "number" || typeof value === "boolean") {
    return types.has("string") ? [plain(value)] : [];
  }
  if (typeof value !== "string" || types.has("string")) return [];
  try {
    return [JSON.parse(value)];
  } catch {
    return [];
  }
}
