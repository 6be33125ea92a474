// The form control of a schema: a choice between few values, a date field, or text.

import { list, member, plain } from "./narrow";
import { follow } from "./pointer";
import { jsonTypesOf } from "./types";

export type Control =
  | { kind: "choice" | "choices"; values: readonly string[] }
  | { kind: "date" | "date-time" | "text" | "list" | "json" };

/** Values of longer enumerations are typed. */
const CHOICES_MAX = 200;
/** Maximum number of list values shown as checkboxes. */
const CHECKBOXES_MAX = 12;
const DEPTH_MAX = 5;

export function controlOf(document: unknown, schema: unknown): Control {
  const types = jsonTypesOf(document, schema);
  if (types.has("array")) {
    const values = valuesOf(document, member(follow(document, schema).value, "items"));
    const isShort = values.length > 0 && values.length <= CHECKBOXES_MAX;
    return isShort ? { kind: "choices", values } : { kind: "list" };
  }
  if (types.has("object")) return { kind: "json" };
  const values = valuesOf(document, schema);
  if (values.length > 0 && values.length <= CHOICES_MAX) return { kind: "choice", values };
  if (types.has("boolean") && [...types].every((it) => it === "boolean" || it === "null")) {
    return { kind: "choice", values: ["true", "false"] };
  }
  const format = member(follow(document, schema).value, "format");
  return { kind: format === "date" || format === "date-time" ? format : "text" };
}

/** Returns the values of an enumeration, also through `allOf`. */
function valuesOf(document: unknown, schema: unknown, depth = 0): string[] {
  if (depth > DEPTH_MAX) return [];
  const { value } = follow(document, schema);
  const constant = member(value, "const");
  const own = constant === undefined ? list(member(value, "enum")) : [constant];
  if (own.length > 0) {
    const texts = own.filter((it) => it !== null && typeof it !== "object").map(plain);
    return [...new Set(texts)];
  }
  const joined = list(member(value, "allOf")).map((it) => valuesOf(document, it, depth + 1));
  return joined.find((it) => it.length > 0) ?? [];
}
