// Validation of a request before it is sent: required values, and values against their schemas. A
// request with faults can still be sent. A fault that the proposed sample has as well is not
// reported: the document causes it. Loaded with the first call.

import { violationWords } from "../text/en/violations";
import { text } from "../text/text";
import { isJson } from "./document/media_types";
import { list, member } from "./document/narrow";
import type { Operation } from "./document/operations";
import { keyOf } from "./document/parameters";
import { follow } from "./document/pointer";
import { jsonTypesOf } from "./document/types";
import { type Violation, violationsOf } from "./document/violations";
import { BODY, type Faults, fieldKey } from "./faults";
import { jsonFault } from "./json_fault";
import { valueOf } from "./typed";
import type { DraftBody } from "./use_body";

const words = text.reference;

type TypedBody = Pick<
  DraftBody,
  "type" | "schema" | "sample" | "text" | "fields" | "parts" | "sent"
>;

interface Typed {
  values: ReadonlyMap<string, string>;
  body: TypedBody;
}

export function faultsOf(document: unknown, operation: Operation, { values, body }: Typed): Faults {
  const faults = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const { name, schema, content, isRequired } = parameter;
    const typed = values.get(keyOf(parameter));
    const fault =
      typed === undefined
        ? isRequired && words.tryIt.missing(name)
        : textFault(document, schema, { name, typed, type: content, isList: false });
    if (fault) faults.set(keyOf(parameter), fault);
  }
  for (const { name, schema, isRequired, isList, type, sample } of body.fields) {
    const part = body.parts.get(name) ?? "";
    const fault =
      part.length === 0
        ? isRequired && words.tryIt.missing(name)
        : typeof part === "string" &&
          part !== sample &&
          textFault(document, schema, { name, typed: part, type, isList });
    if (fault) faults.set(fieldKey(name), fault);
  }
  const fault = bodyFault(document, operation, body);
  if (fault !== undefined) faults.set(BODY, fault);
  return faults;
}

interface TypedText {
  name: string;
  typed: string;
  /** The media type of the text, if any. */
  type: string | undefined;
  /** Whether the media type is that of each item of a list. */
  isList: boolean;
}

function textFault(document: unknown, schema: unknown, it: TypedText): string | undefined {
  const { name, typed, type, isList } = it;
  const isWritten = type !== undefined && !isList;
  if (isWritten && !isJson(type)) return undefined;
  const fault = isWritten ? badJson(name, typed) : undefined;
  if (fault !== undefined) return fault;
  const value: unknown = isWritten
    ? JSON.parse(typed)
    : coerced(document, schema, valueOf(document, schema, typed));
  const [first] = violationsOf(document, schema, value);
  return first && violationWords.ofField(name, first.at, first.words);
}

/** Converts a text to the type of its schema, e.g. to a number. */
function coerced(document: unknown, schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = member(follow(document, schema).value, "items");
    return list(value).map((it) => coerced(document, items, it));
  }
  const types = jsonTypesOf(document, schema);
  if (typeof value !== "string" || types.size === 0 || types.has("string")) return value;
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);
  if (isNumber || /^(true|false|null)$/.test(value)) return JSON.parse(value);
  return value;
}

function badJson(name: string, typed: string): string | undefined {
  const fault = jsonFault(typed);
  if (fault === undefined) return undefined;
  const { expected } = words.tryIt;
  return words.tryIt.badJson(name, fault.line, fault.column, expected[fault.expected]);
}

function bodyFault(document: unknown, operation: Operation, body: TypedBody): string | undefined {
  if (body.type === undefined || body.fields.length > 0) return undefined;
  if (body.sent === undefined) {
    return operation.body?.isRequired ? words.tryIt.missing(words.tryIt.body) : undefined;
  }
  if (body.sent.kind !== "text" || !isJson(body.type)) return undefined;
  const fault = badJson(words.tryIt.theBody, body.text);
  if (fault !== undefined) return fault;
  const known = new Set(violationsIn(document, body, body.sample).map(wordsOf));
  const first = violationsIn(document, body, body.text).find((it) => !known.has(wordsOf(it)));
  return first && wordsOf(first);
}

const wordsOf = ({ at, words }: Violation) => violationWords.ofBody(at, words);

function violationsIn(document: unknown, { schema }: TypedBody, typed: string): Violation[] {
  return jsonFault(typed) ? [] : violationsOf(document, schema, JSON.parse(typed));
}
