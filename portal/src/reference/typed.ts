// Conversion between values and the text of their fields.

import { isJson } from "./document/media_types";
import { list, plain } from "./document/narrow";
import type { Parameter } from "./document/parameters";
import { jsonTypesOf } from "./document/types";

/** Checks whether an item can be written in a comma-separated list. */
const isListable = (it: unknown) => typeof it !== "object" && !/^\s*[[{]|,/.test(plain(it));

/** Formats a value as the text of its field. */
export function typedOf(value: unknown): string {
  if (value === undefined) return "";
  const isShort = Array.isArray(value) && list(value).every(isListable);
  return isShort ? list(value).map(plain).join(",") : plain(value);
}

/** Formats a value as the text of its parameter: JSON if it is described by JSON `content`. */
export function parameterText(document: unknown, parameter: Parameter, value: unknown): string {
  const { content, schema } = parameter;
  if (value === undefined || content === undefined || !isJson(content)) return typedOf(value);
  const types = jsonTypesOf(document, schema);
  // Many documents contain the example of an object or a list as JSON text.
  const isText = typeof value === "string" && types.size > 0 && !types.has("string");
  return isText ? value : JSON.stringify(value);
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

/** Returns the items of a list, as texts. */
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
