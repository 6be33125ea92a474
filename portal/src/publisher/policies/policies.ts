// The policies and their fields, from which the forms of steps are made. Texts are in
// `text/en/policies.ts`; policies.test.ts compares this table with the API's document.

import type { components } from "../../api/schema";
import type { Api } from "../../api/queries/apis";

export type Step = components["schemas"]["Step"];
export type PolicyWord = Step["policy"];
export type Kind = Api["kind"];

/** The lists of steps, in the order of the page. */
export const PLACES = ["request", "response", "error"] as const;
export type Place = (typeof PLACES)[number];

/** Maximum number of steps of a list. */
export const STEPS_MAX = 64;

/** The groups of the menu that adds steps. */
export const GROUPS = ["headers", "target", "body", "respond", "values"] as const;
export type Group = (typeof GROUPS)[number];

/** How the value of a field is entered. */
export type FieldKind =
  /** One line of text. */
  | "text"
  /** Text with holes; `long` over several lines. */
  | "template"
  | "long"
  | "expression"
  /** A JSON value. */
  | "json"
  | "number"
  | "select"
  | "boolean"
  /** Texts, one per line. */
  | "list"
  /** Names and values: an object, or a list of `from` and `to`. */
  | "map"
  | "replacements"
  | "edits";

export interface FieldDescription {
  name: string;
  kind: FieldKind;
  isRequired?: true;
  /** The value that the API assumes for an absent field. */
  byDefault?: string | number | boolean;
  /** Values of a select. */
  choices?: readonly string[];
  /** Whether it is rarely needed, and folded. */
  isRare?: true;
}

export interface PolicyDescription {
  group: Group;
  places: readonly Place[];
  /** Whether it needs a back end that receives method, path and query of calls. */
  needsTarget?: true;
  /** Whether it needs the body, which SOAP services pass unread. */
  needsBody?: true;
  fields: readonly FieldDescription[];
}

const required = (name: string, kind: FieldKind): FieldDescription => ({
  name,
  kind,
  isRequired: true,
});
const optional = (
  name: string,
  kind: FieldKind,
  byDefault?: FieldDescription["byDefault"],
): FieldDescription => ({ name, kind, ...(byDefault === undefined ? {} : { byDefault }) });
const select = (name: string, choices: readonly string[], byDefault?: string) => ({
  ...optional(name, "select", byDefault),
  choices,
});

const MODE = select("mode", ["replace", "append", "if_absent"], "replace");
const BYTES_MAX: FieldDescription = {
  ...optional("bytes_max", "number", 1_048_576),
  isRare: true,
};
/** Without a default: requests refuse other types, responses pass them. */
const OTHER_TYPE: FieldDescription = { ...select("other_type", ["refuse", "pass"]), isRare: true };

const ALL = PLACES;
const BOTH = ["request", "response"] as const;

export const POLICIES: Readonly<Record<PolicyWord, PolicyDescription>> = {
  set_header: {
    group: "headers",
    places: ALL,
    fields: [required("name", "text"), required("value", "template"), MODE],
  },
  remove_header: { group: "headers", places: ALL, fields: [required("names", "list")] },
  rename_header: {
    group: "headers",
    places: ALL,
    fields: [required("from", "text"), required("to", "text")],
  },
  rewrite_location: {
    group: "headers",
    places: ["response"],
    fields: [optional("content_location", "boolean", true)],
  },
  set_query: {
    group: "target",
    places: ["request"],
    needsTarget: true,
    fields: [required("name", "text"), required("value", "template"), MODE],
  },
  remove_query: {
    group: "target",
    places: ["request"],
    needsTarget: true,
    fields: [required("names", "list")],
  },
  rewrite_path: {
    group: "target",
    places: ["request"],
    needsTarget: true,
    fields: [required("path", "template")],
  },
  set_method: {
    group: "target",
    places: ["request"],
    needsTarget: true,
    fields: [
      { ...required("method", "select"), choices: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
    ],
  },
  json_template: {
    group: "body",
    places: BOTH,
    needsBody: true,
    fields: [
      required("template", "json"),
      select("missing", ["drop", "null", "refuse"], "drop"),
      OTHER_TYPE,
      BYTES_MAX,
    ],
  },
  json_edit: {
    group: "body",
    places: BOTH,
    needsBody: true,
    fields: [required("edits", "edits"), OTHER_TYPE, BYTES_MAX],
  },
  mask: {
    group: "body",
    places: ["response"],
    needsBody: true,
    fields: [
      required("paths", "list"),
      select("with", ["remove", "null", "***", "last4"], "remove"),
      { ...select("other_type", ["refuse", "pass"], "refuse"), isRare: true },
      BYTES_MAX,
    ],
  },
  replace_text: {
    group: "body",
    places: BOTH,
    needsBody: true,
    fields: [required("pairs", "replacements"), OTHER_TYPE, BYTES_MAX],
  },
  json_to_xml: {
    group: "body",
    places: BOTH,
    needsBody: true,
    fields: [
      optional("root", "text", "root"),
      optional("item", "text", "item"),
      optional("attributes", "text", "@"),
      optional("text", "text", "#text"),
      OTHER_TYPE,
      BYTES_MAX,
    ],
  },
  xml_to_json: {
    group: "body",
    places: BOTH,
    needsBody: true,
    fields: [
      optional("arrays", "list"),
      optional("attributes", "text", "@"),
      optional("text", "text", "#text"),
      OTHER_TYPE,
      BYTES_MAX,
    ],
  },
  threat_protection: {
    group: "body",
    places: ["request"],
    needsBody: true,
    fields: [
      optional("depth", "number", 32),
      optional("members", "number", 1_000),
      optional("items", "number", 10_000),
      optional("key_bytes", "number", 256),
      optional("string_bytes", "number", 65_536),
      optional("patterns", "list"),
      OTHER_TYPE,
      BYTES_MAX,
    ],
  },
  compress: {
    group: "body",
    places: ["response"],
    needsBody: true,
    fields: [optional("min_bytes", "number", 1_024), BYTES_MAX],
  },
  respond: {
    group: "respond",
    places: ["request", "error"],
    fields: [
      required("status", "number"),
      optional("content_type", "text"),
      optional("body", "long", ""),
      optional("headers", "map"),
    ],
  },
  mock: {
    group: "respond",
    places: ["request"],
    fields: [optional("status", "number", 200), optional("example", "text")],
  },
  set_status: { group: "respond", places: ["response"], fields: [required("status", "number")] },
  let: {
    group: "values",
    places: BOTH,
    fields: [required("name", "text"), required("value", "expression")],
  },
};

const WORDS = Object.keys(POLICIES) as PolicyWord[];

/** Returns the policies of a group that a list of an API of this kind can have. */
export function policiesOf(group: Group, place: Place, kind: Kind): PolicyWord[] {
  return WORDS.filter((word) => {
    const { group: of, places, needsTarget, needsBody } = POLICIES[word];
    const isOfKind = (!needsTarget || kind === "rest") && (!needsBody || kind !== "soap");
    return of === group && places.includes(place) && isOfKind;
  });
}
