// The parameters of an operation and its path item (OpenAPI 3.1, 4.8.12).

import { text } from "../../text/text";
import { examplesOf } from "./messages";
import { entries, list, member, words } from "./narrow";
import { follow } from "./pointer";
import { jsonTypesOf } from "./types";

export type Place = "path" | "query" | "header" | "cookie";

export type Style =
  "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";

/** The serialization of lists and objects. */
export interface Styled {
  name: string;
  style: Style;
  explode: boolean;
}

export interface Parameter extends Styled {
  in: Place;
  isRequired: boolean;
  /** Whether it is the rest of a path, with its slashes. */
  isRest: boolean;
  isDeprecated: boolean;
  description: string | undefined;
  schema: unknown;
  /** Whether reserved characters are sent without percent-encoding. */
  allowReserved: boolean;
  /** The media type of a value described by `content` instead of a style. */
  content: string | undefined;
  example: unknown;
}

/** A parameter in a path. */
export const PLACEHOLDER = /\{([^{}]+)\}/g;

/** Identifies a parameter within its operation. */
export const keyOf = (parameter: Pick<Parameter, "in" | "name">): string =>
  `${parameter.in} ${parameter.name}`;

const PARAMETERS_MAX = 200;

/** The styles of each place, the default first (OpenAPI 3.1, 4.8.12.3). */
const STYLES: Readonly<Record<Place, readonly [Style, ...Style[]]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** Types of values that a style supports, unless it supports all. */
const TYPES: Readonly<Partial<Record<Style, readonly string[]>>> = {
  spaceDelimited: ["array", "object"],
  pipeDelimited: ["array", "object"],
  deepObject: ["object"],
};

/** Parameters of the operation override those of its path item by name and place. */
export function parametersOf(
  document: unknown,
  path: string,
  [item, written]: readonly [unknown, unknown],
  faults: string[],
): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const [, name = ""] of path.matchAll(PLACEHOLDER)) {
    // A placeholder without a description is a string.
    const undescribed = { name, in: "path", schema: { type: "string" } };
    const parameter = parameterOf(document, undescribed, faults);
    if (parameter) found.set(keyOf(parameter), parameter);
  }
  const all = [...list(member(item, "parameters")), ...list(member(written, "parameters"))];
  for (const it of all.slice(0, PARAMETERS_MAX)) {
    const { value, fault } = follow(document, it);
    const parameter = parameterOf(document, value, faults);
    if (parameter && isIgnored(parameter)) continue;
    if (parameter) found.set(keyOf(parameter), parameter);
    else faults.push(fault ?? text.reference.faults.badParameter);
  }
  const sign = member(item, "x-tollgate-rest");
  const rest = sign === "*" || sign === "+" ? found.get(restKeyOf(path)) : undefined;
  if (rest) found.set(keyOf(rest), { ...rest, isRest: true, isRequired: sign === "+" });
  return [...found.values()];
}

/** Returns the key of the last parameter in a path. */
function restKeyOf(path: string): string {
  const [, name = ""] = [...path.matchAll(PLACEHOLDER)].at(-1) ?? [];
  return keyOf({ in: "path", name });
}

/** Checks for headers that OpenAPI leaves to bodies and security. */
function isIgnored(parameter: Parameter): boolean {
  return parameter.in === "header" && /^(accept|content-type|authorization)$/i.test(parameter.name);
}

function parameterOf(document: unknown, written: unknown, faults: string[]): Parameter | undefined {
  const name = words(member(written, "name"), 200);
  const place = member(written, "in");
  if (name === undefined || !isPlace(place)) return undefined;
  const media = entries(member(written, "content"))[0];
  const described = media ? media[1] : written;
  const schema = member(described, "schema");
  const types = jsonTypesOf(document, schema);
  const style = styleOf(member(written, "style"), { name, place, types }, faults);
  return {
    name,
    in: place,
    isRequired: place === "path" || member(written, "required") === true,
    isRest: false,
    isDeprecated: member(written, "deprecated") === true,
    description: words(member(written, "description")),
    schema,
    style,
    explode: explodeOf(member(written, "explode"), style),
    allowReserved: place === "query" && member(written, "allowReserved") === true,
    content: media?.[0],
    example: examplesOf(document, described).example,
  };
}

function isPlace(place: unknown): place is Place {
  return typeof place === "string" && Object.hasOwn(STYLES, place);
}

interface Placed {
  name: string;
  place: Place;
  /** Empty for values of any type. */
  types: ReadonlySet<string>;
}

function styleOf(written: unknown, { name, place, types }: Placed, faults: string[]): Style {
  const [usual, ...others] = STYLES[place];
  if (written === undefined || written === usual) return usual;
  const style = others.find((it) => it === written);
  const named = words(written, 40) ?? JSON.stringify(written);
  if (style === undefined) {
    faults.push(text.reference.faults.badStyle(named, name, place, usual));
    return usual;
  }
  const wanted = TYPES[style];
  if (wanted === undefined || types.size === 0 || wanted.some((it) => types.has(it))) return style;
  faults.push(text.reference.faults.badStyleOfType(named, name, [...types], usual));
  return usual;
}

/** The default depends on the style. */
export function explodeOf(written: unknown, style: Style): boolean {
  return typeof written === "boolean" ? written : style === "form";
}

/** Form fields have the styles of query parameters. */
export function formStyleOf(written: unknown): Style {
  return STYLES.query.find((it) => it === written) ?? "form";
}
