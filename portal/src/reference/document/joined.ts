// The parts of an `allOf`, and schemas that hold for one value together.

import { type Unknowns, entries, list, member, object } from "./narrow";
import { follow } from "./pointer";
import { matches } from "./pattern";
import { partsOf } from "./schema";

/** The names that a part without other members allows. */
interface Closed {
  names: ReadonlySet<string>;
  patterns: readonly string[];
}

/** What the parts of an `allOf` describe together. */
interface Joined {
  required: readonly string[];
  properties: Unknowns;
  /** The parts that allow no other members. */
  closed: readonly Closed[];
}

export function joinedParts(document: unknown, schema: unknown): Joined {
  const parts = partsOf(document, schema);
  const required = parts.flatMap((part) => list(member(part, "required")));
  const closed = parts.filter((part) => member(part, "additionalProperties") === false);
  return {
    required: required.filter((it) => typeof it === "string"),
    properties: Object.fromEntries(parts.flatMap((part) => entries(member(part, "properties")))),
    closed: closed.map((part) => ({
      names: new Set(entries(member(part, "properties")).map(([name]) => name)),
      patterns: entries(member(part, "patternProperties")).map(([pattern]) => pattern),
    })),
  };
}

/** Returns an object without the members that one of the closed parts does not allow. */
export function closedOver(value: unknown, closed: readonly Closed[]): unknown {
  if (object(value) === undefined) return value;
  const isIn =
    (name: string) =>
    ({ names, patterns }: Closed) =>
      names.has(name) || patterns.some((pattern) => matches(pattern, name));
  return Object.fromEntries(entries(value).filter(([name]) => closed.every(isIn(name))));
}

/** Returns one schema with the keywords, properties and required names of both. */
export function joinedSchema(document: unknown, one: unknown, other: unknown): unknown {
  const { value } = follow(document, other);
  const both = (name: string) => [member(one, name), member(value, name)];
  const properties = both("properties").flatMap(entries);
  const required = both("required").flatMap(list);
  return {
    ...object(one),
    ...object(value),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}
