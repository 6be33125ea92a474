// Builds the body of a form from its fields. The browser reads files only when it sends them.

import type { FormField } from "./document/form_fields";
import { BYTES, concreteOf, isAmong, isMultipart } from "./document/media_types";
import { list, plain } from "./document/narrow";
import { formEncoded, isFieldValue, reservedKept } from "./sendable";
import type { FormPart, SentBody } from "./call_request";
import { pairsOf } from "./style";
import { valueOf } from "./typed";

/** The content of a field. */
export type Part = string | readonly File[];

/** Undefined if all fields are empty. */
export function formOf(
  document: unknown,
  type: string,
  fields: readonly FormField[],
  parts: ReadonlyMap<string, Part>,
): SentBody | undefined {
  const filled = fields
    .map((field) => ({ field, part: parts.get(field.name) ?? "" }))
    .filter(({ part }) => part.length > 0);
  if (filled.length === 0) return undefined;
  if (isMultipart(type)) {
    return { kind: "form", parts: filled.flatMap((it) => partsOf(document, it.field, it.part)) };
  }
  const pairs = filled.flatMap(({ field, part }) => encodedPairs(document, field, part));
  return { kind: "text", type, text: pairs.map((it) => it.join("=")).join("&") };
}

function encodedPairs(document: unknown, field: FormField, part: Part): (readonly string[])[] {
  const { name, styled } = field;
  if (styled === undefined) {
    return textsOf(document, field, part).map((it) => [formEncoded(name), formEncoded(it)]);
  }
  const value = valueOf(document, field.schema, typeof part === "string" ? part : "");
  const encode = styled.allowReserved ? reservedKept : formEncoded;
  return pairsOf(styled, value, encode, formEncoded);
}

function partsOf(document: unknown, field: FormField, part: Part): FormPart[] {
  const { name, styled, headers } = field;
  if (typeof part !== "string") {
    return part.map((file) => ({
      name,
      content: file,
      type: fileTypeOf(file, field.type),
      headers,
    }));
  }
  if (styled !== undefined) {
    const value = valueOf(document, field.schema, part);
    const pairs = pairsOf(styled, value, (it) => it);
    return pairs.map(([name, content]) => ({ name, content, type: undefined, headers }));
  }
  const type = field.type === undefined ? undefined : concreteOf(field.type);
  return textsOf(document, field, part).map((content) => ({ name, content, type, headers }));
}

/** Returns the values of a field without a style. */
function textsOf(document: unknown, { isList, schema }: FormField, part: Part): readonly string[] {
  if (typeof part !== "string") return [];
  const value = isList ? valueOf(document, schema, part) : part;
  return Array.isArray(value) ? list(value).map(plain) : [part];
}

/** Returns the file's own type if the document allows it. */
export function fileTypeOf({ type }: File, allowed = "*/*"): string {
  const isUsable = type !== "" && isFieldValue(type) && isAmong(allowed, type);
  return isUsable ? type : (concreteOf(allowed) ?? BYTES);
}
