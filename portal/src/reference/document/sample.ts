// A sample value of a schema: its examples, else a generated value. Depth and size are bounded; a
// cycle ends where it would repeat.

import { text } from "../../text/text";
import { type Choice, type Chosen, choicePlace, choicesOf, memberPlace } from "./choices";
import { entries, list, member, number, object } from "./narrow";
import { follow } from "./pointer";

const DEPTH_MAX = 8;
const NODES_MAX = 400;
const MEMBERS_MAX = 60;

interface Making {
  document: unknown;
  /** Whether read-only members are left out. */
  isRequest: boolean;
  chosen: Chosen;
  nodes: number;
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
  const making = { document, isRequest, chosen, nodes: 0, inside: new Set<string>() };
  return make(making, schema, { at: "", depth: 0 });
}

/** The position of a schema. */
interface Where {
  at: string;
  depth: number;
  /** Whether it is part of an `allOf` to which a discriminator was already applied. */
  isPart?: true;
}

const below = ({ at, depth }: Where): Where => ({ at, depth: depth + 1 });
const within = ({ at, depth }: Where, name: string): Where => ({
  at: memberPlace(at, name),
  depth: depth + 1,
});

/** Returns the value that the schema itself provides. */
export function givenOf(document: unknown, schema: unknown): unknown {
  const { value } = follow(document, schema);
  const given = [
    member(value, "example"),
    list(member(value, "examples"))[0],
    member(value, "const"),
    member(value, "default"),
    list(member(value, "enum"))[0],
  ];
  return given.find((it) => it !== undefined);
}

function make(making: Making, schema: unknown, where: Where): unknown {
  making.nodes += 1;
  if (where.depth > DEPTH_MAX || making.nodes > NODES_MAX) return undefined;
  const { value, pointer } = follow(making.document, schema);
  if (object(value) === undefined) return undefined;
  const given = givenOf(making.document, value);
  if (given !== undefined && !hasChoice(making, where)) return given;
  if (pointer === undefined) return makeByType(making, value, where);
  if (making.inside.has(pointer)) return undefined;
  making.inside.add(pointer);
  const made = makeByType(making, value, where);
  making.inside.delete(pointer);
  return made;
}

/** Checks whether an alternative is selected here or below, which an example would hide. */
function hasChoice({ chosen }: Making, { at }: Where): boolean {
  const isHere = (place: string) => place === at || /^[/#]/.test(place.slice(at.length));
  return [...chosen.keys()].some((place) => place.startsWith(at) && isHere(place));
}

function makeByType(making: Making, value: unknown, where: Where): unknown {
  if (!where.isPart && firstType(value) !== "array") {
    const { property, choices } = choicesOf(making.document, value);
    const choice = making.chosen.get(where.at) ?? (property === undefined ? undefined : choices[0]);
    if (choice !== undefined && choices.some(({ name }) => name === choice.name)) {
      return makeChoice(making, value, { choice, property }, where);
    }
  }
  const all = list(member(value, "allOf"));
  if (all.length > 0) return makeAll(making, [...all, { ...object(value), allOf: [] }], where);
  const alternatives = [...list(member(value, "oneOf")), ...list(member(value, "anyOf"))];
  if (alternatives.length > 0) {
    const isNull = (it: unknown) => member(it, "type") === "null";
    return make(making, alternatives.find((it) => !isNull(it)) ?? alternatives[0], below(where));
  }
  switch (firstType(value)) {
    case "object":
      return makeObject(making, value, where);
    case "array": {
      const item = make(making, member(value, "items"), below(where));
      return item === undefined ? [] : [item];
    }
    case "string":
      return makeString(value);
    case "integer":
    case "number":
      return makeNumber(value);
    case "boolean":
      return true;
    default:
      return null;
  }
}

const OF_CHOICES: ReadonlySet<string> = new Set(["oneOf", "anyOf", "discriminator"]);

/** Combines an alternative, its sibling keywords, and the discriminator's property. */
function makeChoice(
  making: Making,
  value: unknown,
  { choice, property }: { choice: Choice; property: string | undefined },
  where: Where,
): unknown {
  const beside = entries(value).filter(([name]) => !OF_CHOICES.has(name));
  const own = makeByType(making, Object.fromEntries(beside), where);
  const inside = { at: choicePlace(where.at, choice), depth: where.depth + 1 };
  const made = make(making, choice.schema, inside);
  if (object(made) === undefined) return made;
  const name = property === undefined ? {} : { [property]: choice.name };
  return { ...object(own), ...object(made), ...name };
}

function firstType(value: unknown): string | undefined {
  const type = member(value, "type");
  const types = Array.isArray(type) ? list(type) : [type];
  const first = types.find((it) => typeof it === "string" && it !== "null");
  if (typeof first === "string") return first;
  if (object(member(value, "properties")) !== undefined) return "object";
  return member(value, "items") === undefined ? undefined : "array";
}

function makeAll(making: Making, schemas: readonly unknown[], where: Where): unknown {
  const made = schemas
    .slice(0, MEMBERS_MAX)
    .map((it) => make(making, it, { ...below(where), isPart: true }));
  const hasObject = made.some((it) => object(it) !== undefined);
  if (!hasObject) return made.find((it) => it !== undefined && it !== null);
  return Object.fromEntries(made.flatMap((it) => entries(it)));
}

function makeObject(making: Making, value: unknown, where: Where): unknown {
  const made: [string, unknown][] = [];
  for (const [name, schema] of entries(member(value, "properties")).slice(0, MEMBERS_MAX)) {
    const { value: resolved } = follow(making.document, schema);
    if (making.isRequest && member(resolved, "readOnly") === true) continue;
    if (!making.isRequest && member(resolved, "writeOnly") === true) continue;
    const sample = make(making, schema, within(where, name));
    if (sample !== undefined) made.push([name, sample]);
  }
  const others = member(value, "additionalProperties");
  if (made.length === 0 && object(others) !== undefined) {
    const sample = make(making, others, within(where, text.reference.schema.anyOther));
    if (sample !== undefined) made.push(["name", sample]);
  }
  return Object.fromEntries(made);
}

const BY_FORMAT = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["time", "12:00:00Z"],
  ["duration", "P1D"],
  ["uuid", "3fa85f64-5717-4562-b3fc-2c963f66afa6"],
  ["email", "name@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uri-reference", "/path"],
  ["byte", "dGV4dA=="],
]);
/** Maximum length of a generated text. */
const LETTERS_MAX = 200;

function makeString(value: unknown): string {
  const format = member(value, "format");
  const shown = (typeof format === "string" ? BY_FORMAT.get(format) : undefined) ?? "text";
  const shortest = Math.min(number(member(value, "minLength")) ?? 0, LETTERS_MAX);
  const longest = Math.max(number(member(value, "maxLength")) ?? LETTERS_MAX, 0);
  return shown.padEnd(shortest, "x").slice(0, longest);
}

/** Returns 1 if it is allowed, else the nearest allowed number. */
function makeNumber(value: unknown): number {
  const most = number(member(value, "maximum")) ?? Infinity;
  return Math.min(Math.max(1, leastOf(value)), most);
}

function leastOf(value: unknown): number {
  const exclusive = member(value, "exclusiveMinimum");
  const least = number(member(value, "minimum")) ?? -Infinity;
  const above = exclusive === true ? least : number(exclusive);
  return above === undefined ? least : Math.floor(above) + 1;
}
