// Conversion between values and the text of their fields.

import { jsonTypesOf } from "./document/types";
import { list, plain } from "./document/narrow";

/** Whether an item can be written in a list with commas. */
const isListable = (it: unknown) => typeof it !== "object" && !/^\s*[[{]|,/.test(plain(it));

/** A value as the text of its field. */
export function typedOf(value: unknown): string {
  if (value === undefined) return "";
  const isShort = Array.isArray(value) && list(value).every(isListable);
  return isShort ? list(value).map(plain).join(",") : plain(value);
}

/**
 * Parses a text for its schema: lists with commas or as JSON, objects as JSON. Other texts are
 * returned unchanged, which keeps all digits of numbers.
 */
export function valueOf(document: unknown, schema: unknown, typed: string): unknown {
  const types = jsonTypesOf(document, schema);
  if (!types.has("array") && !types.has("object")) return typed;
  const json = /^\s*[[{]/.test(typed) ? jsonOf(typed) : undefined;
  if (json !== undefined && types.has(Array.isArray(json) ? "array" : "object")) return json;
  return types.has("array") && !types.has("string") ? split(typed) : typed;
}

/** The items of a list, as texts. */
export function itemsOf(typed: string): string[] {
  const json = /^\s*\[/.test(typed) ? jsonOf(typed) : undefined;
  if (Array.isArray(json)) return list(json).map(plain);
  return typed === "" ? [] : split(typed);
}

const split = (typed: string) => typed.split(",").map((it) => it.trim());

function jsonOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return undefined;
  }
}
