// Describes a schema (JSON Schema in OpenAPI 3.0 and 3.1): its type in one line, its constraints,
// and its members, which are resolved when they are opened, so cycles do no harm.

import { text } from "../../text/text";
import { entries, inline, list, member, number, object, words } from "./narrow";
import { follow, nameOf } from "./pointer";

/** A schema as shown. */
export interface Described {
  /** `string`, `array of Pet`, `Pet or null`. */
  type: string;
  /** `1 to 40 characters`, `a date`, `one of cat, dog`. */
  constraints: readonly string[];
  description: string | undefined;
  /** Whether {@link membersOf} has something to show. */
  isOpenable: boolean;
}

/** A member of a schema: a property, an alternative, or additional properties. */
export interface Member {
  name: string;
  isRequired: boolean;
  schema: unknown;
}

const TYPE_DEPTH_MAX = 5;
const ENUM_MAX = 20;
const MEMBERS_MAX = 400;
/** Maximum number of schemas joined by `allOf`, at any depth. */
const PARTS_MAX = 50;

const facts = text.reference.schema;

export function describe(document: unknown, schema: unknown): Described {
  const { value, fault } = follow(document, schema);
  if (fault !== undefined) {
    return { type: facts.unknown, constraints: [fault], description: undefined, isOpenable: false };
  }
  return {
    type: typeOf(document, schema),
    constraints: constraintsOf(innermost(document, value)),
    description: words(member(value, "description")),
    isOpenable: membersOf(document, schema, 1).length > 0,
  };
}

/** Returns the type in one line. */
export function typeOf(document: unknown, schema: unknown, depth = 0): string {
  if (depth > TYPE_DEPTH_MAX) return "…";
  if (schema === true || schema === undefined) return facts.anything;
  if (schema === false) return facts.nothing;
  const { value, pointer } = follow(document, schema);
  if (object(value) === undefined) return facts.unknown;
  const types = typesOf(value);
  if (member(value, "nullable") === true && !types.includes("null")) types.push("null");
  const isArray = types.includes("array");
  const name = isArray ? undefined : (nameOf(pointer) ?? words(member(value, "title"), 60));
  if (name !== undefined && isStructured(value, types)) return orNull(name, types);
  const alternatives = alternativesOf(value);
  if (alternatives.length > 0) {
    const shown = alternatives.slice(0, 4).map((it) => typeOf(document, it, depth + 1));
    if (alternatives.length > 4) shown.push("…");
    return [...new Set(shown)].join(facts.or);
  }
  const all = list(member(value, "allOf"));
  if (types.length === 0 && all.length > 0) {
    return all.length === 1 ? typeOf(document, all[0], depth + 1) : "object";
  }
  const named = types.map((type) =>
    type === "array" ? facts.arrayOf(typeOf(document, member(value, "items"), depth + 1)) : type,
  );
  return named.length > 0 ? named.join(facts.or) : facts.anything;
}

function orNull(name: string, types: readonly string[]): string {
  return types.includes("null") ? `${name}${facts.or}null` : name;
}

/** Returns the types that a schema names, or that its other keywords imply. */
function typesOf(value: unknown): string[] {
  const type = member(value, "type");
  if (typeof type === "string") return [type];
  const types = list(type).flatMap((it) => (typeof it === "string" ? it : []));
  if (types.length > 0) return types.slice(0, 7);
  if (object(member(value, "properties")) !== undefined) return ["object"];
  if (member(value, "items") !== undefined) return ["array"];
  const sample = member(value, "const") ?? list(member(value, "enum"))[0];
  return sample === undefined || sample === null || typeof sample === "object"
    ? []
    : [typeof sample];
}

function isStructured(value: unknown, types: readonly string[]): boolean {
  return (
    types.includes("object") ||
    alternativesOf(value).length > 0 ||
    member(value, "allOf") !== undefined
  );
}

function alternativesOf(value: unknown): readonly unknown[] {
  const one = list(member(value, "oneOf"));
  return one.length > 0 ? one : list(member(value, "anyOf"));
}

/** For an array, adds the constraints of its items to the schema. */
function innermost(document: unknown, value: unknown): unknown {
  return typesOf(value).includes("array")
    ? { ...object(value), ...itemWords(document, value) }
    : value;
}

/** Returns the `enum`, `format` and `pattern` of an array's items. */
function itemWords(document: unknown, value: unknown): Record<string, unknown> {
  const items = follow(document, member(value, "items")).value;
  return Object.fromEntries(
    ["enum", "format", "pattern"].flatMap((name) => {
      const constraint = member(items, name);
      return constraint === undefined ? [] : [[name, constraint]];
    }),
  );
}

function constraintsOf(value: unknown): string[] {
  const of = (name: string) => member(value, name);
  const found: (string | false | undefined)[] = [
    formatWords(of("format")),
    facts.letters(number(of("minLength")), number(of("maxLength"))),
    rangeWords(value),
    facts.items(number(of("minItems")), number(of("maxItems"))),
    of("uniqueItems") === true && facts.unique,
    facts.members(number(of("minProperties")), number(of("maxProperties"))),
    number(of("multipleOf")) !== undefined && facts.multipleOf(inline(of("multipleOf"))),
    typeof of("pattern") === "string" && facts.pattern(inline(of("pattern"))),
    enumWords(value),
    of("default") !== undefined && facts.default(inline(of("default"))),
    of("readOnly") === true && facts.readOnly,
    of("writeOnly") === true && facts.writeOnly,
    of("deprecated") === true && facts.deprecated,
  ];
  return found.flatMap((it) => it || []);
}

function formatWords(format: unknown): string | undefined {
  const name = words(format, 40);
  if (name === undefined) return undefined;
  const known: Readonly<Record<string, string>> = facts.formats;
  return Object.hasOwn(known, name) ? known[name] : name;
}

/** Describes bounds of a number: exclusive ones are numbers in 3.1, and flags in 3.0. */
function rangeWords(value: unknown): string | undefined {
  const bound = (inclusive: string, exclusive: string) => {
    const [own, other] = [number(member(value, inclusive)), member(value, exclusive)];
    if (number(other) !== undefined) return { at: number(other), isExclusive: true };
    return { at: own, isExclusive: other === true };
  };
  return facts.range(bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum"));
}

function enumWords(value: unknown): string | undefined {
  const constant = member(value, "const");
  if (constant !== undefined) return facts.always(inline(constant));
  const values = list(member(value, "enum"));
  if (values.length === 0) return undefined;
  const shown = values.slice(0, ENUM_MAX).map((it) => inline(it, 40));
  return facts.oneOf(shown.join(", "), values.length - shown.length);
}

/** Returns the members: properties, else alternatives; for an array, those of its items. */
export function membersOf(document: unknown, schema: unknown, max = MEMBERS_MAX): Member[] {
  const members = propertiesOf(document, schema, max);
  const alternatives = alternativesOf(itemOf(document, schema))
    .slice(0, max)
    .filter((it) => isWorthOpening(document, it))
    .map((it, index) => ({ name: facts.alternative(index + 1), isRequired: false, schema: it }));
  return [...members, ...alternatives].slice(0, max);
}

/** Resolves a schema; for an array, returns the item schema, at any depth. */
export function itemOf(document: unknown, schema: unknown): unknown {
  let { value } = follow(document, schema);
  for (let depth = 0; depth < TYPE_DEPTH_MAX && typesOf(value).includes("array"); depth += 1) {
    value = follow(document, member(value, "items")).value;
  }
  return value;
}

/** Returns the properties, including those of `allOf`; for an array, those of its items. */
export function propertiesOf(document: unknown, schema: unknown, max = MEMBERS_MAX): Member[] {
  const found = new Map<string, Member>();
  const required = new Set<string>();
  for (const part of partsOf(document, itemOf(document, schema))) {
    for (const name of list(member(part, "required"))) {
      if (typeof name === "string") required.add(name);
    }
    for (const [name, it] of entries(member(part, "properties"))) {
      if (found.size >= max) break;
      found.set(name, { name, isRequired: false, schema: it });
    }
    for (const [pattern, it] of entries(member(part, "patternProperties"))) {
      if (found.size >= max) break;
      found.set(`/${pattern}/`, { name: `/${pattern}/`, isRequired: false, schema: it });
    }
    const others = member(part, "additionalProperties");
    if (object(others) !== undefined && Object.keys(object(others) ?? {}).length > 0) {
      found.set("*", { name: facts.anyOther, isRequired: false, schema: others });
    }
  }
  return [...found.entries()].map(([name, it]) => ({ ...it, isRequired: required.has(name) }));
}

/** Checks whether an alternative has more to show than its type. */
function isWorthOpening(document: unknown, schema: unknown): boolean {
  const { value } = follow(document, schema);
  return (
    object(member(value, "properties")) !== undefined || list(member(value, "allOf")).length > 0
  );
}

/** Returns a schema and those joined by its `allOf`, each once. */
export function partsOf(document: unknown, value: unknown): unknown[] {
  const parts: unknown[] = [];
  const pointers = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && parts.length < PARTS_MAX) {
    const { value: part, pointer } = follow(document, waiting.shift());
    if (pointer !== undefined && pointers.has(pointer)) continue;
    if (pointer !== undefined) pointers.add(pointer);
    parts.push(part);
    waiting.push(...list(member(part, "allOf")).slice(0, PARTS_MAX));
  }
  return parts;
}
