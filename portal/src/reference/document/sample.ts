// A sample value of a schema: its examples, else a generated value that the schema allows. Depth
// and size are bounded; a cycle ends where it would repeat.

import { text } from "../../text/text";
import { type Choice, type Chosen, choicePlace, choicesOf, memberPlace } from "./choices";
import { closedOver, joinedParts, joinedSchema } from "./joined";
import { givenAnswerOf, givenOf, isAllowed } from "./given";
import { entries, list, member, number, object } from "./narrow";
import { patternSample } from "./pattern_sample";
import { follow } from "./pointer";
import { sampleNumber, sampleString } from "./scalar_sample";

/** Below this depth and beyond this number of schemas, only what is required is generated. */
const DEPTH_MAX = 8;
const NODES_MAX = 400;
/** Nothing is generated beyond these. */
const DEPTH_END = 24;
const NODES_END = 4_000;
const MEMBERS_MAX = 60;
const ITEMS_MAX = 20;
const ALTERNATIVES_MAX = 20;
/** Maximum number of values that are compared with their schema to choose between them. */
const TRIALS_MAX = 100;
/** Maximum number of schemas read, including those of values that were not used. */
const READ_MAX = 20_000;
/** The value of a member that must be there but is not described. */
export const ANY = "text";

interface Making {
  document: unknown;
  /** Whether read-only members are left out. */
  isRequest: boolean;
  chosen: Chosen;
  nodes: number;
  read: number;
  trials: number;
  /** References currently being followed. */
  inside: Set<string>;
}

/** Returns a sample as a JSON value; undefined if none can be derived. */
export function sampleOf(
  document: unknown,
  schema: unknown,
  isRequest: boolean,
  chosen: Chosen = new Map(),
): unknown {
  const counts = { nodes: 0, read: 0, trials: 0 };
  const making = { document, isRequest, chosen, ...counts, inside: new Set<string>() };
  const where = { at: "", depth: 0 };
  return firstAllowed(making, schema, [
    () => make(making, schema, where),
    ...(isLeanPossible(making, where)
      ? [() => make(making, schema, { ...where, isLean: true })]
      : []),
  ]);
}

/** The position of a schema. */
interface Where {
  at: string;
  depth: number;
  /** Whether only what is required is generated. */
  isLean?: boolean;
  /** The names that the whole requires, if it is part of an `allOf`: the whole has the choice. */
  whole?: ReadonlySet<string>;
}

const below = ({ at, depth, isLean = false }: Where): Where => ({ at, depth: depth + 1, isLean });
const within = (where: Where, name: string): Where => ({
  ...below(where),
  at: memberPlace(where.at, name),
});

/** Members that the user has selected alternatives of are not left out. */
const isLeanPossible = ({ chosen }: Making, { isLean }: Where) => !isLean && chosen.size === 0;

function make(making: Making, schema: unknown, where: Where): unknown {
  making.nodes += 1;
  if (making.nodes > NODES_END) return undefined;
  const { value, pointer } = follow(making.document, schema);
  if (object(value) === undefined) return undefined;
  const given = hasChoice(making, where) ? undefined : givenIn(making, value);
  return given ?? inside(making, pointer, () => makeByType(making, value, where));
}

/** Makes what a reference refers to, unless that is being made already. */
function inside(making: Making, pointer: string | undefined, makeIt: () => unknown): unknown {
  if (pointer === undefined) return makeIt();
  if (making.inside.has(pointer)) return undefined;
  making.inside.add(pointer);
  const made = makeIt();
  making.inside.delete(pointer);
  return made;
}

const givenIn = ({ document, isRequest }: Making, value: unknown) =>
  isRequest ? givenOf(document, value) : givenAnswerOf(document, value);

/** Checks whether an alternative is selected here or below, which an example would hide. */
function hasChoice({ chosen }: Making, { at }: Where): boolean {
  const isHere = (place: string) => place === at || /^[/#]/.test(place.slice(at.length));
  return [...chosen.keys()].some((place) => place.startsWith(at) && isHere(place));
}

/** Returns the first value that the schema allows, else the first one. */
function firstAllowed(
  making: Making,
  schema: unknown,
  makers: readonly (() => unknown)[],
): unknown {
  const [only, ...others] = makers;
  if (others.length === 0) return only?.();
  let first: unknown;
  const { nodes } = making;
  for (const makeOne of makers) {
    const made = makeOne();
    if (made === undefined) continue;
    making.trials += 1;
    if (making.trials > TRIALS_MAX || isAllowed(making.document, schema, made)) return made;
    if (first === undefined) first = made;
    // What is not used does not count.
    making.nodes = nodes;
  }
  return first;
}

function makeByType(making: Making, value: unknown, where: Where): unknown {
  making.read += 1;
  if (where.depth > DEPTH_END || making.read > READ_MAX) return undefined;
  if (where.whole === undefined && firstType(value) !== "array") {
    const { property, choices } = choicesOf(making.document, value);
    const chosen = making.chosen.get(where.at);
    const selected = choices.filter(({ name }) => name === chosen?.name);
    const offered = property === undefined ? [] : choices.slice(0, ALTERNATIVES_MAX);
    const possible = selected.length > 0 ? selected : offered;
    if (possible.length > 0) {
      const makers = possible.flatMap((it) => choiceMakers(making, value, it, where));
      return firstAllowed(making, value, makers);
    }
  }
  if (list(member(value, "allOf")).length > 0) return makeAll(making, value, where);
  for (const name of ["oneOf", "anyOf"]) {
    if (list(member(value, name)).length > 0) return makeOne(making, value, name, where);
  }
  return makePlain(making, value, where);
}

function makePlain(making: Making, value: unknown, where: Where): unknown {
  switch (firstType(value)) {
    case "object":
      return makeObject(making, value, where);
    case "array":
      return makeArray(making, value, where);
    case "string":
      return sampleString(value);
    case "integer":
    case "number":
      return sampleNumber(value);
    case "boolean":
      return true;
    case undefined:
      return null;
    default:
      return ANY;
  }
}

const OF_CHOICES: ReadonlySet<string> = new Set(["oneOf", "anyOf", "discriminator"]);

/** Makes an alternative with its sibling keywords, with and without the discriminator's value. */
function choiceMakers(
  making: Making,
  value: unknown,
  choice: Choice,
  where: Where,
): (() => unknown)[] {
  const beside = Object.fromEntries(entries(value).filter(([name]) => !OF_CHOICES.has(name)));
  const { property } = choicesOf(making.document, value);
  const inside = { ...below(where), at: choicePlace(where.at, choice) };
  const join = (isNamed: boolean, isLean: boolean) => () => {
    const own = makeByType(making, beside, { ...where, isLean });
    const made = make(making, choice.schema, { ...inside, isLean });
    if (object(made) === undefined) return made;
    if (!isNamed && member(made, property ?? "") === undefined) return undefined;
    const name = property === undefined || !isNamed ? {} : { [property]: choice.name };
    return { ...object(own), ...object(made), ...name };
  };
  const isLean = where.isLean ?? false;
  const lean = isLeanPossible(making, where) ? [join(true, true), join(false, true)] : [];
  return [join(true, isLean), join(false, isLean), ...lean];
}

/** Makes one of the alternatives: null last, and such that no other one matches, if necessary. */
function makeOne(making: Making, value: unknown, name: string, where: Where): unknown {
  const alternatives = list(member(value, name)).slice(0, ALTERNATIVES_MAX);
  const isNull = (it: unknown) => member(it, "type") === "null";
  const sorted = alternatives.toSorted((it, other) => Number(isNull(it)) - Number(isNull(other)));
  const beside = Object.fromEntries(entries(value).filter(([key]) => key !== name));
  const isAlone = firstType(beside) === undefined && !("allOf" in beside) && !("anyOf" in beside);
  const makers = (isLean: boolean) => (alternative: unknown) => {
    const place = { ...below(where), isLean };
    const alone = () => make(making, alternative, place);
    const { pointer } = follow(making.document, alternative);
    const both = () => joinedSchema(making.document, beside, alternative);
    const joined = () => inside(making, pointer, () => makeByType(making, both(), place));
    return isAlone ? [alone, joined] : [joined, alone];
  };
  const isLean = where.isLean ?? false;
  return firstAllowed(making, value, [
    ...sorted.flatMap(makers(isLean)),
    ...(isLeanPossible(making, where) ? sorted.flatMap(makers(true)) : []),
  ]);
}

function firstType(value: unknown): string | undefined {
  const type = member(value, "type");
  const types = Array.isArray(type) ? list(type) : [type];
  const first = types.find((it) => typeof it === "string" && it !== "null");
  if (typeof first === "string") return first;
  if (object(member(value, "properties")) !== undefined) return "object";
  if (member(value, "items") !== undefined) return "array";
  const keyword = (names: readonly string[]) => names.some((it) => member(value, it) !== undefined);
  if (list(member(value, "required")).length > 0) return "object";
  if (keyword(["pattern", "format", "minLength", "maxLength"])) return "string";
  return keyword(["minimum", "maximum", "multipleOf"]) ? "number" : undefined;
}

/** Makes all parts of an `allOf` and the keywords beside it, and joins their members. */
function makeAll(making: Making, value: unknown, where: Where): unknown {
  const parts = list(member(value, "allOf")).slice(0, MEMBERS_MAX);
  const all = [...parts, { ...object(value), allOf: [] }];
  const { required, properties, closed } = joinedParts(making.document, value);
  const whole = new Set([...required, ...(where.whole ?? [])]);
  const join = (isLean: boolean) => {
    const made = all.map((it) => make(making, it, { ...below(where), whole, isLean }));
    if (!made.some((it) => object(it) !== undefined)) {
      return made.find((it) => it !== undefined && it !== null);
    }
    const joined = Object.fromEntries(made.flatMap((it) => entries(it)));
    return where.whole
      ? joined
      : completed(making, { required: [...whole], properties }, joined, where);
  };
  const isLean = where.isLean ?? false;
  return firstAllowed(making, value, [
    () => join(isLean),
    // Texts and numbers have constraints in several parts.
    () => makePlain(making, joinedAll(making, all), where),
    () => closedOver(join(isLean), closed),
    () => closedOver(join(true), closed),
  ]);
}

const joinedAll = ({ document }: Making, all: readonly unknown[]) =>
  all.reduce((one, other) => joinedSchema(document, one, other));

function makeObject(making: Making, value: unknown, where: Where): unknown {
  const required = new Set([...list(member(value, "required")), ...(where.whole ?? [])]);
  const made: [string, unknown][] = [];
  for (const [name, schema] of entries(member(value, "properties"))) {
    const isNeeded = required.has(name);
    if (!isNeeded && (isFull(making, where) || made.length >= MEMBERS_MAX)) continue;
    const { value: resolved } = follow(making.document, schema);
    if (making.isRequest && member(resolved, "readOnly") === true) continue;
    if (!making.isRequest && member(resolved, "writeOnly") === true) continue;
    const sample = make(making, schema, within(where, name));
    if (sample !== undefined) made.push([name, sample]);
    else if (isNeeded) made.push([name, endOf(making, schema)]);
  }
  const others = member(value, "additionalProperties");
  if (made.length === 0 && object(others) !== undefined && !isFull(making, where)) {
    const sample = make(making, others, within(where, text.reference.schema.anyOther));
    if (sample !== undefined) made.push(["name", sample]);
  }
  const whole = Object.fromEntries(made);
  return where.whole ? whole : completed(making, value, whole, where);
}

const isFull = ({ nodes }: Making, { isLean, depth }: Where) =>
  isLean || depth >= DEPTH_MAX || nodes > NODES_MAX;

/** Returns the value of a required member whose sample would have no end. */
function endOf({ document }: Making, schema: unknown): unknown {
  const [end = ANY] = [null, [], {}].filter((it) => isAllowed(document, schema, it));
  return end;
}

/** Adds the members that an object needs but does not describe, and removes optional ones. */
function completed(making: Making, schema: unknown, made: object, where: Where): unknown {
  const whole = new Map(Object.entries(made));
  const others = member(schema, "additionalProperties");
  const [pattern, byPattern] = entries(member(schema, "patternProperties"))[0] ?? [];
  const describedBy = (name: string) => member(member(schema, "properties"), name);
  const isReadOnly = (name: string) =>
    member(follow(making.document, describedBy(name)).value, "readOnly") === true;
  const add = (name: string, it: unknown) => whole.set(name, make(making, it, below(where)) ?? ANY);
  const required = list(member(schema, "required"));
  for (const name of required) {
    if (typeof name !== "string" || whole.has(name) || isReadOnly(name)) continue;
    if (others !== false) add(name, describedBy(name) ?? object(others) ?? { type: "string" });
  }
  const least = Math.min(number(member(schema, "minProperties")) ?? 0, ITEMS_MAX);
  for (let at = 1; whole.size < least && at <= ITEMS_MAX; at += 1) {
    const matching = pattern === undefined ? undefined : patternSample(pattern, at);
    const name = others === false ? matching : `name${at}`;
    if (name !== undefined)
      add(name, others === false ? byPattern : (object(others) ?? { type: "string" }));
  }
  const most = number(member(schema, "maxProperties")) ?? Infinity;
  const optional = [...whole.keys()].filter((name) => !required.includes(name));
  while (whole.size > most && optional.length > 0) whole.delete(optional.pop() ?? "");
  return Object.fromEntries(whole);
}

/** Makes one item, or as many as the schema needs, which differ if they must. */
function makeArray(making: Making, value: unknown, where: Where): unknown {
  const of = (name: string) => number(member(value, name));
  const least = Math.min(of("minItems") ?? 0, ITEMS_MAX);
  if (isFull(making, where) && least === 0) return [];
  const tuple = list(member(value, "prefixItems")).slice(0, ITEMS_MAX);
  const most = of("maxItems") ?? Infinity;
  const count = Math.min(Math.max(least, tuple.length, 1), most);
  const items: unknown[] = [];
  for (let at = 0; at < count; at += 1) {
    const schema = tuple[at] ?? member(value, "items");
    const isDifferent = member(value, "uniqueItems") === true;
    const item = isDifferent
      ? different(making, schema, items, below(where))
      : make(making, schema, below(where));
    if (item !== undefined) items.push(item);
    else if (at < least) items.push(endOf(making, schema));
  }
  return items;
}

/** Returns an item that is not among the others, if one can be found. */
function different(
  making: Making,
  schema: unknown,
  others: readonly unknown[],
  where: Where,
): unknown {
  const made = make(making, schema, where);
  const known = new Set(others.map((it) => JSON.stringify(it)));
  const values = list(member(follow(making.document, schema).value, "enum"));
  const isNew = (it: unknown) =>
    !known.has(JSON.stringify(it)) && isAllowed(making.document, schema, it);
  return [made, ...values, varied(made, others.length)].find(isNew) ?? made;
}

/** Returns a value that differs from a sample by a number. */
function varied(sample: unknown, by: number): unknown {
  if (typeof sample === "number") return sample + by;
  if (typeof sample === "string") return `${sample.slice(0, -1)}${by}`;
  const members = entries(sample);
  const changed = members.map(([name, it]): [string, unknown] => [name, varied(it, by)]);
  return members.length === 0 ? sample : Object.fromEntries(changed);
}
