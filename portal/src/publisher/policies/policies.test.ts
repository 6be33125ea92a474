// The table of policies agrees with the API's document: policies, fields, defaults, choices.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { policyWords } from "../../text/en/policies";
import {
  type FieldDescription,
  GROUPS,
  type Kind,
  POLICIES,
  type Place,
  policiesOf,
} from "./policies";

interface Schema {
  type?: string | string[];
  enum?: string[];
  default?: unknown;
  required?: string[];
  oneOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
}

const ROOT = join(import.meta.dirname, "../../../..");
const DOCUMENT = JSON.parse(readFileSync(join(ROOT, "api/control.openapi.json"), "utf8")) as {
  components: { schemas: Record<string, Schema> };
};

const { schemas } = DOCUMENT.components;
const followed = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});

/** Returns the values of a field that has a closed list of them. */
function choicesOf(schema: Schema): string[] | undefined {
  const alternatives = [followed(schema), ...(schema.oneOf ?? []).map(followed)];
  return alternatives.find((it) => it.enum)?.enum;
}

const documented = (schemas["Step"]?.oneOf ?? []).map((schema) => {
  const properties = Object.entries(schema.properties ?? {});
  const word = schema.properties?.["policy"]?.enum?.[0] ?? "";
  const fields = properties.filter(([name]) => name !== "policy" && name !== "if");
  return { word, fields, required: schema.required ?? [] };
});

test("the document and the table have the same policies", () => {
  expect(documented.map(({ word }) => word).sort()).toEqual(Object.keys(POLICIES).sort());
});

describe.each(documented)("$word", ({ word, fields, required }) => {
  const { fields: own } = POLICIES[word as keyof typeof POLICIES];
  const named = new Map(own.map((field): [string, FieldDescription] => [field.name, field]));

  test("has the same fields, each with a label", () => {
    const names = fields.map(([name]) => name).sort();
    expect([...named.keys()].sort()).toEqual(names);
    const texts = policyWords.of[word as keyof typeof POLICIES].fields;
    expect(Object.keys(texts).sort()).toEqual(names);
  });

  test.each(fields)("%s has the same default and choices", (name, schema) => {
    const field = named.get(name);
    expect(field?.isRequired ?? false).toBe(required.includes(name));
    // Empty lists and objects are what an empty input means.
    const isEmpty = typeof schema.default === "object";
    expect(field?.byDefault).toBe(isEmpty ? undefined : schema.default);
    const choices = choicesOf(schema);
    // Only some methods are allowed, which the document describes in words.
    if (name === "method")
      expect(choices).toEqual(expect.arrayContaining([...(field?.choices ?? [])]));
    else expect(field?.choices).toEqual(choices);
    const texts = policyWords.of[word as keyof typeof POLICIES].fields[name]?.choices;
    if (texts) expect(Object.keys(texts)).toEqual(choices);
  });
});

test("the menu has the policies of the list and the kind", () => {
  const all = (place: Place, kind: Kind) => GROUPS.flatMap((it) => policiesOf(it, place, kind));
  const headers = ["set_header", "remove_header", "rename_header"];
  for (const kind of ["rest", "soap", "soap_to_rest"] as const) {
    expect(all("error", kind)).toEqual([...headers, "respond"]);
  }
  expect(all("request", "soap")).toEqual([...headers, "respond", "mock", "let"]);
  expect(all("response", "soap")).toEqual([...headers, "rewrite_location", "set_status", "let"]);
  const target = ["set_query", "remove_query", "rewrite_path", "set_method"];
  const ofRest = all("request", "rest");
  expect(ofRest).toEqual(expect.arrayContaining([...target, "json_template", "mock"]));
  expect(ofRest).not.toContain("mask");
  expect(all("request", "soap_to_rest")).toEqual(ofRest.filter((it) => !target.includes(it)));
});

test("the names and functions in brief are those of the reference", () => {
  const reference = readFileSync(join(ROOT, "docs/reference/expressions.md"), "utf8");
  const { list, functions } = policyWords.names;
  const names = list.flatMap(([, line]) => line.split(", "));
  const base = (name: string) => name.replace(/\[.*|\.(id|sub|x)$/, "");
  for (const name of names) expect(reference).toContain(`\`${base(name)}`);
  for (const name of functions.split(" ")) expect(reference).toMatch(new RegExp(`\\b${name}\\(`));
});
