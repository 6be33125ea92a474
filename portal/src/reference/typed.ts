// The text of a field and the value that it stands for.

import { jsonTypesOf } from "./document/types";
import { list, plain } from "./document/narrow";

/** Whether a list of texts can be written with commas. */
const isListable = (it: unknown) => typeof it !== "object" && !/^\s*[[{]|,/.test(plain(it));

/** A value as the text of its field. */
export function typedOf(value: unknown): string {
  if (value === undefined) return "";
  const isShort = Array.isArray(value) && list(value).every(isListable);
  return isShort ? list(value).map(plain).join(",") : plain(value);
}

/**
 * The value of a text, for a schema: lists by commas or as JSON, objects as JSON. Everything else
 * stays as it was typed, so that no digit of a number is lost.
 */
export function valueOf(document: unknown, schema: unknown, typed: string): unknown {
  const types = jsonTypesOf(document, schema);
  if (!types.has("array") && !types.has("object")) return typed;
  const json = /^\s*[[{]/.test(typed) ? jsonOf(typed) : undefined;
  if (json !== undefined && types.has(Array.isArray(json) ? "array" : "object")) return json;
  if (!types.has("array") || types.has("string")) return typed;
  return typed.split(",").map((it) => it.trim());
}

function jsonOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return undefined;
  }
}
