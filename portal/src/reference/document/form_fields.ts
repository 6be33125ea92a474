// The fields of a body that is a form, as its schema has them.

import { entries, list, member, object } from "./narrow";
import type { Body } from "./messages";
import { follow } from "./pointer";
import { sampleOf } from "./sample";
import { membersOf } from "./schema";

/** A field of a form: what it holds, and whether it may be sent several times. */
export interface FormField {
  name: string;
  isRequired: boolean;
  isFile: boolean;
  isList: boolean;
  /** What it begins with: the document's example, else something that fits; lists by commas. */
  sample: string;
}

export const isUrlEncoded = (type: string) => /^application\/x-www-form-urlencoded\b/i.test(type);
export const isMultipart = (type: string) => /^multipart\/form-data\b/i.test(type);

/** None where the body is no form, or the document does not say what is in it. */
export function fieldsOf(document: unknown, { type, schema, example }: Body): FormField[] {
  if (!isUrlEncoded(type) && !isMultipart(type)) return [];
  const sample = object(example) ?? sampleOf(document, schema, true);
  const properties = membersOf(document, schema).filter(({ schema: it }) => {
    return member(follow(document, it).value, "readOnly") !== true;
  });
  return properties.map(({ name, isRequired, schema: written }) => {
    const { value } = follow(document, written);
    const isList = member(value, "type") === "array";
    const item = isList ? follow(document, member(value, "items")).value : value;
    const isFile = isMultipart(type) && isBytes(item);
    const begin = isFile ? "" : textOf(member(sample, name));
    return { name, isRequired, isFile, isList, sample: begin };
  });
}

/** Bytes as OpenAPI 3.0 says it, and as 3.1 does (JSON Schema, section 8). */
function isBytes(schema: unknown): boolean {
  const isEncoded = member(schema, "contentEncoding") !== undefined;
  return (
    member(schema, "format") === "binary" ||
    (member(schema, "contentMediaType") !== undefined && !isEncoded)
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? list(value).map(plain).join(",") : plain(value);
}

/** A value as text: what is none already, as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The pairs of a form that is given as an object. */
export function pairsOf(value: unknown): [string, string][] {
  return entries(value).map(([name, it]) => [name, plain(it)]);
}
