// The fields of a form: the properties of its schema, with their encoding (OpenAPI 3.1, 4.8.15).

import type { Header } from "../call_request";
import { isFieldValue, isPartFieldValue, isToken } from "../sendable";
import { typedOf } from "../typed";
import { sampleText } from "./body";
import { isMultipart, isUrlEncoded } from "./media_types";
import type { Body } from "./messages";
import { entries, member, object, plain, words } from "./narrow";
import { type Styled, explodeOf, formStyleOf } from "./parameters";
import { follow } from "./pointer";
import { allowedOf, givenOf, isAllowed } from "./given";
import { ANY, sampleOf } from "./sample";
import { propertiesOf } from "./schema";
import { jsonTypesOf } from "./types";

export interface FormField {
  name: string;
  schema: unknown;
  isRequired: boolean;
  isFile: boolean;
  /** Whether it may be sent several times. */
  isList: boolean;
  /** The initial text: the document's example, or a value generated from the schema. */
  sample: string;
  /** The media types allowed, separated by commas; undefined for plain text. */
  type: string | undefined;
  /** The style, if the document names one, which excludes a media type. */
  styled: (Styled & { allowReserved: boolean }) | undefined;
  /** Headers of the part. */
  headers: readonly Header[];
}

/** Empty if the body is not a form, or its schema has no properties. */
export function fieldsOf(document: unknown, body: Body): FormField[] {
  const { type, schema, example } = body;
  if (!isUrlEncoded(type) && !isMultipart(type)) return [];
  const made = sampleOf(document, schema, true);
  /** Returns the example's value if it is valid, else a generated one if it is needed. */
  const sampleIn = (name: string, field: unknown, isRequired: boolean): unknown => {
    const own = allowedOf(document, field, [member(example, name)]);
    if (own !== undefined && own !== null) return own;
    if (object(example) && !isRequired) return undefined;
    const value = member(made, name) ?? (isRequired ? sampleOf(document, field, true) : undefined);
    if (!isRequired || (value !== undefined && value !== null)) return value;
    return isAllowed(document, field, null) && jsonTypesOf(document, field).size > 0 ? "null" : ANY;
  };
  const properties = propertiesOf(document, schema).filter(({ schema: it }) => {
    return member(follow(document, it).value, "readOnly") !== true;
  });
  return properties.map(({ name, isRequired, schema: written }) => {
    const encoding = member(body.encoding, name);
    const styled = styledOf(name, encoding);
    const isList = jsonTypesOf(document, written).has("array");
    const { value } = follow(document, written);
    const item = isList ? follow(document, member(value, "items")).value : value;
    const isFile = isMultipart(type) && isBytes(item) && styled === undefined;
    const partType = styled ? undefined : partTypeOf(document, encoding, item);
    const begin =
      partType !== undefined && !isList ? { type: partType, schema: written } : undefined;
    return {
      name,
      schema: written,
      isRequired,
      isFile,
      isList,
      sample: isFile ? "" : beginOf(document, sampleIn(name, written, isRequired), begin),
      type: partType,
      styled,
      headers: isMultipart(type) ? headersOf(document, member(encoding, "headers")) : [],
    };
  });
}

/** Returns the initial text; an object is written in the syntax of its media type. */
function beginOf(
  document: unknown,
  sample: unknown,
  typed: Pick<Body, "type" | "schema"> | undefined,
): string {
  if (sample === undefined || sample === null) return "";
  const isWritten = typed !== undefined && object(sample) !== undefined;
  return isWritten ? sampleText(document, { ...typed, example: sample }, true) : typedOf(sample);
}

/** Checks for bytes as described by OpenAPI 3.0 and by 3.1 (JSON Schema, section 8). */
function isBytes(schema: unknown): boolean {
  const isEncoded = member(schema, "contentEncoding") !== undefined;
  return (
    member(schema, "format") === "binary" ||
    (member(schema, "contentMediaType") !== undefined && !isEncoded)
  );
}

function styledOf(name: string, encoding: unknown): FormField["styled"] {
  const isStyled = ["style", "explode", "allowReserved"].some(
    (it) => member(encoding, it) !== undefined,
  );
  if (!isStyled) return undefined;
  const style = formStyleOf(member(encoding, "style"));
  const allowReserved = member(encoding, "allowReserved") === true;
  return { name, style, explode: explodeOf(member(encoding, "explode"), style), allowReserved };
}

/** Returns the media type by the encoding or the schema; JSON for objects. */
function partTypeOf(document: unknown, encoding: unknown, item: unknown): string | undefined {
  const named = words(member(encoding, "contentType"), 200) ?? mediaTypeOf(item);
  if (named !== undefined && isFieldValue(named)) return named;
  return jsonTypesOf(document, item).has("object") ? "application/json" : undefined;
}

function mediaTypeOf(schema: unknown): string | undefined {
  return words(member(schema, "contentMediaType"), 200);
}

/** Returns headers with a value in the document and required ones, except content headers. */
function headersOf(document: unknown, written: unknown): Header[] {
  return entries(written).flatMap(([name, it]): Header[] => {
    const header = follow(document, it).value;
    const schema = member(header, "schema");
    const own = member(header, "example") ?? givenOf(document, schema);
    const isRequired = member(header, "required") === true;
    const value = own ?? (isRequired ? sampleOf(document, schema, true) : undefined);
    if (
      value === undefined ||
      value === null ||
      /^content-(type|disposition|transfer-encoding)$/i.test(name)
    )
      return [];
    const text = plain(value);
    return isToken(name) && isPartFieldValue(text) ? [[name, text]] : [];
  });
}
