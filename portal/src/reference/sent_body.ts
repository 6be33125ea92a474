// The body of try-it for each media type, and the body as sent.

import type { SentBody } from "./call_request";
import type { Chosen } from "./document/choices";
import type { FormField } from "./document/form_fields";
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

/** Returns the media type of a text if the document names a range, e.g. `text/*`. */
function textTypeOf(type: string, text: string): string {
  if (!type.includes("*")) return type;
  return type.startsWith("*/*") && /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
}
