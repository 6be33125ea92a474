// Validates a value against a schema (JSON Schema in the dialects of OpenAPI 3.0 and 3.1) by
// interpretation, because the content security policy forbids generated code. Of the formats, dates
// and UUIDs are checked.

import { violationWords as facts } from "../../text/en/violations";
import { chosenBy } from "./choices";
import { entries, inline, list, member, number, object } from "./narrow";
import { matches } from "./pattern";
import { follow } from "./pointer";
import { propertiesOf } from "./schema";
import { typeOfValue } from "./types";

export interface Violation {
  /** A path such as `/owner/age`; empty for the whole value. */
  at: string;
  /** The predicate of a sentence, e.g. `must be a number`. */
  words: string;
}

interface Checking {
  document: unknown;
  found: Violation[];
  steps: number;
  /** Whether a limit left parts of the value unchecked. */
  isCut: boolean;
  /** Names of read-only properties, by schema. */
  readOnly: Map<unknown, ReadonlySet<string>>;
}

interface Place {
  /** The path of the value. */
  at: string;
  depth: number;
  /** The schemas that combine the current one with others for the same value. */
  around: readonly unknown[];
}

const VIOLATIONS_MAX = 5;
/** Bounds the time for large values and schemas with many combinations. */
const STEPS_MAX = 30_000;
const DEPTH_MAX = 64;
/** Patterns are not evaluated for longer values, so these do not take more time. */
const PATTERN_STEPS_MAX = 500;

/** Returns the first violations of a value. */
export function violationsOf(document: unknown, schema: unknown, value: unknown): Violation[] {
  const checking = { document, found: [], steps: 0, isCut: false, readOnly: new Map() };
  check(checking, schema, value, { at: "", depth: 0, around: [] });
  return checking.found.slice(0, VIOLATIONS_MAX);
}

function check(it: Checking, schema: unknown, value: unknown, place: Place): void {
  const { at, depth, around } = place;
  it.steps += 1;
  const isOver = it.steps > STEPS_MAX || depth > DEPTH_MAX;
  it.isCut ||= isOver;
  if (isOver || it.found.length >= VIOLATIONS_MAX) return;
  const report = (words: string | undefined) => words && it.found.push({ at, words });
  if (schema === false) report(facts.nothing);
  const { value: resolved } = follow(it.document, schema);
  if (object(resolved) === undefined || (value === null && member(resolved, "nullable") === true))
    return;
  const types = typesOf(resolved);
  if (types.length > 0 && !types.some((type) => isType(type, value))) {
    report(facts.type(types));
    return;
  }
  report(valueWords(resolved, value));
  if (typeof value === "string") textWords(it, resolved, value).forEach(report);
  if (typeof value === "number") numberWords(resolved, value).forEach(report);
  if (Array.isArray(value)) checkItems(it, resolved, list(value), place);
  else if (object(value) !== undefined) checkMembers(it, resolved, value, place);
  const within = { at, depth: depth + 1, around: [...around, resolved] };
  for (const part of list(member(resolved, "allOf"))) check(it, part, value, within);
  checkAlternatives(it, resolved, value, within);
}

const TYPES = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** Returns the types of a schema; empty if one of them is none of JSON Schema. */
function typesOf(schema: unknown): string[] {
  const type = member(schema, "type");
  const types = (Array.isArray(type) ? list(type) : [type]).filter((it) => typeof it === "string");
  return types.every((it) => TYPES.has(it)) ? types : [];
}

function isType(type: string, value: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : type === typeOfValue(value);
}

function valueWords(schema: unknown, value: unknown): string | undefined {
  const constant = member(schema, "const");
  if (constant !== undefined && !isEqual(constant, value))
    return facts.oneOf([inline(constant)], 0);
  const values = list(member(schema, "enum"));
  if (values.length === 0 || values.some((it) => isEqual(it, value))) return undefined;
  const shown = values.slice(0, 10).map((it) => inline(it, 40));
  return facts.oneOf(shown, values.length - shown.length);
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  "date-time":
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};

function textWords(it: Checking, schema: unknown, value: string): (string | undefined)[] {
  const length = (least: number | undefined, most: number | undefined) => {
    if (least === undefined && most === undefined) return undefined;
    const characters = Array.from(value).length;
    const fits = characters >= (least ?? 0) && characters <= (most ?? Infinity);
    return fits ? undefined : facts.characters(least, most);
  };
  const pattern = member(schema, "pattern");
  const format = member(schema, "format");
  const known =
    typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return [
    length(number(member(schema, "minLength")), number(member(schema, "maxLength"))),
    typeof pattern === "string" && !isMatch(it, pattern, value)
      ? facts.pattern(inline(pattern))
      : undefined,
    known !== undefined && !known.test(value) ? facts.format(String(format)) : undefined,
  ];
}

/** Evaluates a pattern, which counts one step per character of the value. */
function isMatch(it: Checking, pattern: string, value: string): boolean {
  it.steps += Math.min(value.length, PATTERN_STEPS_MAX);
  it.isCut ||= it.steps > STEPS_MAX;
  return it.steps > STEPS_MAX || matches(pattern, value);
}

/** Checks bounds: exclusive ones are numbers in 3.1, and booleans beside the others in 3.0. */
function numberWords(schema: unknown, value: number): (string | undefined)[] {
  const of = (name: string) => number(member(schema, name));
  const isMarked = (name: string) => member(schema, name) === true;
  const [least, most, step] = [of("minimum"), of("maximum"), of("multipleOf")];
  const above = isMarked("exclusiveMinimum") ? least : of("exclusiveMinimum");
  const below = isMarked("exclusiveMaximum") ? most : of("exclusiveMaximum");
  return [
    least !== undefined && value < least ? facts.atLeast(least) : undefined,
    most !== undefined && value > most ? facts.atMost(most) : undefined,
    above !== undefined && value <= above ? facts.above(above) : undefined,
    below !== undefined && value >= below ? facts.below(below) : undefined,
    step !== undefined && step > 0 && !isMultiple(value, step) ? facts.multipleOf(step) : undefined,
  ];
}

/** Tolerates rounding: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const ratio = value / step;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio));
}

function isWithin(size: number, schema: unknown, least: string, most: string): boolean {
  const of = (name: string) => number(member(schema, name));
  return size >= (of(least) ?? 0) && size <= (of(most) ?? Infinity);
}

function checkItems(
  it: Checking,
  schema: unknown,
  items: readonly unknown[],
  { at, depth }: Place,
): void {
  const of = (name: string) => number(member(schema, name));
  if (!isWithin(items.length, schema, "minItems", "maxItems")) {
    it.found.push({ at, words: facts.items(of("minItems"), of("maxItems")) });
  }
  if (member(schema, "uniqueItems") === true) {
    const isUnique = new Set(items.map((item) => JSON.stringify(item))).size === items.length;
    if (!isUnique) it.found.push({ at, words: facts.unique });
  }
  const first = list(member(schema, "prefixItems"));
  const rest = member(schema, "items");
  for (const [index, item] of items.entries()) {
    const place = { at: `${at}/${index}`, depth: depth + 1, around: [] };
    check(it, first[index] ?? rest, item, place);
  }
}

function checkMembers(
  it: Checking,
  schema: unknown,
  value: unknown,
  { at, depth, around }: Place,
): void {
  const properties = member(schema, "properties");
  for (const name of list(member(schema, "required"))) {
    if (typeof name !== "string" || member(value, name) !== undefined) continue;
    const isReadOnly = [...around, schema].some((whole) => readOnlyOf(it, whole).has(name));
    if (!isReadOnly) it.found.push({ at, words: facts.required(name) });
  }
  const members = entries(value);
  if (!isWithin(members.length, schema, "minProperties", "maxProperties")) {
    it.found.push({ at, words: facts.size });
  }
  const patterns = entries(member(schema, "patternProperties"));
  const others = member(schema, "additionalProperties");
  for (const [name, own] of members) {
    const described: unknown[] = patterns
      .filter(([pattern]) => isMatch(it, pattern, name))
      .map(([, subschema]) => subschema);
    if (member(properties, name) !== undefined) described.push(member(properties, name));
    if (described.length === 0 && others === false) {
      it.found.push({ at, words: facts.additional(name) });
    }
    if (described.length === 0 && object(others) !== undefined) described.push(others);
    const place = { at: `${at}/${name}`, depth: depth + 1, around: [] };
    for (const subschema of described) check(it, subschema, own, place);
  }
}

/** Returns the names of a schema's read-only properties, including those of `allOf`. */
function readOnlyOf({ document, readOnly }: Checking, schema: unknown): ReadonlySet<string> {
  const known = readOnly.get(schema);
  if (known !== undefined) return known;
  const properties = propertiesOf(document, schema).filter(
    (it) => member(follow(document, it.schema).value, "readOnly") === true,
  );
  const names = new Set(properties.map(({ name }) => name));
  readOnly.set(schema, names);
  return names;
}

/** Checks the discriminator's alternative, or how many alternatives match. */
function checkAlternatives(it: Checking, schema: unknown, value: unknown, place: Place): void {
  for (const name of ["oneOf", "anyOf"]) {
    const alternatives = list(member(schema, name));
    if (alternatives.length === 0) continue;
    const named = chosenBy(it.document, schema, value);
    if (named !== undefined || alternatives.length === 1) {
      check(it, named ?? alternatives[0], value, place);
      continue;
    }
    const trials = alternatives.map((subschema) => {
      const trial: Checking = { ...it, found: [], isCut: false };
      check(trial, subschema, value, place);
      it.steps = trial.steps;
      return trial;
    });
    const matching = trials.filter(({ found }) => found.length === 0);
    // An alternative that was not fully checked may or may not match.
    const isKnown = matching.every(({ isCut }) => !isCut);
    it.isCut ||= !isKnown;
    const words = matching.length === 0 ? facts.noAlternative : facts.manyAlternatives;
    const isFault = matching.length === 0 || (matching.length > 1 && name === "oneOf");
    if (isKnown && isFault) it.found.push({ at: place.at, words });
  }
}
