// The initial body of a media type in try-it, and the body as sent.

import type { SentBody } from "./call_request";
import { sampleText } from "./document/body";
import type { Chosen } from "./document/choices";
import { type FormField, fieldsOf } from "./document/form_fields";
import { isTypable } from "./document/media_types";
import type { Body } from "./document/messages";
import { type Part, fileTypeOf, formOf } from "./form";

export interface PreparedBody {
  kind: SentBody["kind"];
  type: string;
  schema: unknown;
  /** Empty unless it is a form. */
  fields: readonly FormField[];
  /** The initial text. */
  sample: string;
}

/** The alternatives selected in the schema of a media type. */
export interface ChosenBody {
  type: string;
  chosen: Chosen;
}

/** The input for a body; each kind uses one member. */
export interface BodyInput {
  text: string;
  file: File | undefined;
  parts: ReadonlyMap<string, Part>;
}

export function prepareBody(
  document: unknown,
  body: Body,
  alternatives?: ChosenBody,
): PreparedBody {
  const { type, schema } = body;
  const fields = fieldsOf(document, body);
  if (fields.length > 0) return { kind: "form", type, schema, fields, sample: "" };
  if (!isTypable(type)) return { kind: "file", type, schema, fields, sample: "" };
  const chosen = alternatives?.type === type ? alternatives.chosen : undefined;
  const sample = sampleText(document, body, true, chosen);
  return { kind: "text", type, schema, fields, sample };
}

/** Returns the initial content of form fields. */
export function initialParts(fields: readonly FormField[]): ReadonlyMap<string, Part> {
  return new Map(fields.map(({ name, sample }) => [name, sample]));
}

/** Returns the body to send; undefined if the input is empty. */
export function sentBody(
  document: unknown,
  { kind, type, fields }: PreparedBody,
  { text, file, parts }: BodyInput,
): SentBody | undefined {
  switch (kind) {
    case "form":
      return formOf(document, type, fields, parts);
    case "file":
      return file && { kind: "file", type: fileTypeOf(file, type), file };
    case "text":
      return text === "" ? undefined : { kind: "text", type: textTypeOf(type, text), text };
  }
}

/** Returns the body that try-it sends without input; undefined for a file or an empty body. */
export function initialBody(document: unknown, body: Body): SentBody | undefined {
  const prepared = prepareBody(document, body);
  const parts = initialParts(prepared.fields);
  return sentBody(document, prepared, { text: prepared.sample, file: undefined, parts });
}

/** Returns the media type of a text if the document names a range, e.g. `text/*`. */
function textTypeOf(type: string, text: string): string {
  if (!type.includes("*")) return type;
  return type.startsWith("*/*") && /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
}
