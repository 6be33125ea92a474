// The JSON types that a schema allows, through references and combinations.

import { list, member, object } from "./narrow";
import { follow } from "./pointer";

const DEPTH_MAX = 5;

/** Empty if the schema allows any type. */
export function jsonTypesOf(document: unknown, schema: unknown, depth = 0): ReadonlySet<string> {
  if (depth > DEPTH_MAX) return new Set();
  const { value } = follow(document, schema);
  const own = ownTypes(value);
  if (own.length > 0) return new Set(own);
  const combined = ["allOf", "oneOf", "anyOf"].flatMap((name) => list(member(value, name)));
  return new Set(combined.flatMap((it) => [...jsonTypesOf(document, it, depth + 1)]));
}

function ownTypes(value: unknown): string[] {
  const type = member(value, "type");
  const named = (Array.isArray(type) ? list(type) : [type]).filter((it) => typeof it === "string");
  if (named.length > 0) return named;
  if (object(member(value, "properties")) !== undefined) return ["object"];
  if (member(value, "items") !== undefined) return ["array"];
  const constant = member(value, "const");
  const values = constant === undefined ? list(member(value, "enum")) : [constant];
  return values.map(typeOfValue);
}

/** The JSON type of a value. */
export function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
