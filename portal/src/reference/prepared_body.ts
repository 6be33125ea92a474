// The initial body of a media type in try-it. It has a sample. The generator of samples is loaded
// with the first operation that has a body.

import type { SentBody } from "./call_request";
import { sampleText } from "./document/body";
import { fieldsOf } from "./document/form_fields";
import { isTypable } from "./document/media_types";
import type { Body } from "./document/messages";
import { type ChosenBody, type PreparedBody, initialParts, sentBody } from "./sent_body";

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

/** Returns the body that try-it sends without input; undefined for a file or an empty body. */
export function initialBody(document: unknown, body: Body): SentBody | undefined {
  const prepared = prepareBody(document, body);
  const parts = initialParts(prepared.fields);
  return sentBody(document, prepared, { text: prepared.sample, file: undefined, parts });
}
