// The fields of a step as they are entered, and their mapping to the API's form. A field that is
// empty, or has its default, is absent from the API's form.

import { Problem } from "../../api/problem";
import { plain } from "../../reference/document/narrow";
import { text } from "../../text/text";
import { type FieldDescription, POLICIES, type PolicyWord, type Step } from "./policies";

/** Identifies a step while it is edited. A symbol is copied with its step and never sent. */
export const KEY: unique symbol = Symbol("key");

/** A line of a field with several: the names of its parts depend on the field. */
export type Parts = Readonly<Record<string, string>>;
export type FieldValue = string | boolean | readonly Parts[];

export interface StepFields {
  [KEY]: number;
  policy: PolicyWord;
  condition: string;
  values: Readonly<Record<string, FieldValue>>;
}

let lastKey = 0;
const nextKey = () => (lastKey += 1);

/** Returns the fields of a new step. */
export function newStep(policy: PolicyWord): StepFields {
  return stepOf({ policy });
}

/** Returns a step with the same fields. */
export function copyOf(step: StepFields): StepFields {
  return { ...step, [KEY]: nextKey() };
}

export function readStep(step: Step): StepFields {
  return stepOf({ ...step });
}

function stepOf(step: { policy: PolicyWord } & Readonly<Record<string, unknown>>): StepFields {
  const { policy } = step;
  const values = POLICIES[policy].fields.map((field): [string, FieldValue] => [
    field.name,
    readValue(field, step[field.name]),
  ]);
  const condition = typeof step["if"] === "string" ? step["if"] : "";
  return { [KEY]: nextKey(), policy, condition, values: Object.fromEntries(values) };
}

/** Returns the field's text as it is shown for a value of the API. */
function readValue(field: FieldDescription, given: unknown): FieldValue {
  const value: unknown = given ?? field.byDefault;
  switch (field.kind) {
    case "boolean":
      return value === true;
    case "list":
      return ((value ?? []) as string[]).join("\n");
    case "json":
      return given === undefined ? "" : JSON.stringify(given, null, 2);
    case "map":
      return Object.entries((value ?? {}) as Record<string, string>).map(([name, it]) => ({
        name,
        value: it,
      }));
    case "replacements":
    case "edits":
      return ((value ?? [EMPTY_PARTS[field.kind]]) as Parts[]).map((it) => ({ ...it }));
    default: {
      const first = field.isRequired ? field.choices?.[0] : undefined;
      return plain(value ?? first ?? "");
    }
  }
}

/** A new line of a field with several. */
export const EMPTY_PARTS: Readonly<Record<"map" | "replacements" | "edits", Parts>> = {
  map: { name: "", value: "" },
  replacements: { from: "", to: "" },
  edits: { set: "", value: "" },
};

/** Returns a step in the API's form; `pointer` is its place in the request. */
export function writeStep(step: StepFields, pointer: string): Step {
  const written: Record<string, unknown> = { policy: step.policy };
  if (step.condition.trim() !== "") written["if"] = step.condition;
  for (const field of POLICIES[step.policy].fields) {
    const value = writeValue(field, step.values[field.name] ?? "", `${pointer}/${field.name}`);
    if (value !== undefined) written[field.name] = value;
  }
  return written as unknown as Step;
}

function writeValue(field: FieldDescription, value: FieldValue, pointer: string): unknown {
  const written = converted(field, value, pointer);
  return written === field.byDefault && !field.isRequired ? undefined : written;
}

function converted(field: FieldDescription, value: FieldValue, pointer: string): unknown {
  const { kind, isRequired, byDefault } = field;
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") {
    if (kind !== "map") return value;
    if (value.length === 0) return undefined;
    return Object.fromEntries(value.map(({ name = "", value: it = "" }) => [name, it]));
  }
  if (kind === "list") {
    const lines = linesOf(value);
    return lines.length > 0 || isRequired ? lines : undefined;
  }
  if (kind === "json") return jsonOf(value, pointer);
  if (kind === "number") return numberOf(field, value, pointer);
  // An empty text is a value of its own where the default is another.
  return value === "" && !isRequired && typeof byDefault !== "string" ? undefined : value;
}

function numberOf({ isRequired }: FieldDescription, value: string, pointer: string) {
  if (value !== "") return Number(value);
  if (isRequired) throw Problem.atField(pointer, text.publisher.version.policies.missing);
  return undefined;
}

/** Returns the texts of a field that has one per line; empty lines are left out. */
export function linesOf(value: string): string[] {
  return value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Returns the number, from 1, of the line with the text at this index of {@link linesOf}. */
export function lineOf(value: string, index: number): number {
  const filled = value.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [at]));
  return (filled[index] ?? index) + 1;
}

function jsonOf(value: string, pointer: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw Problem.atField(pointer, text.publisher.version.policies.notJson);
  }
}
