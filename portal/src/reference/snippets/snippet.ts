// A call as code in several languages. It contains no credentials, only environment variables with
// these names. Everything else is data, and appears in the code as text.

import type { CallRequest, FormPart, Header, SentBody } from "../call_request";
import { extensionOf } from "../body_shown";
import { contentOf } from "../content";
import { BYTES } from "../document/media_types";
import { addressOf, isFieldValue, isPartFieldValue, isToken, wellFormed } from "../sendable";

/** A credential of a call, with its secret in a variable. */
export type Placeholder =
  { kind: "header"; header: string; prefix: string; variable: string } | { kind: "basic" };

/** Variables of an HTTP Basic user. */
export const USER_NAME = "USER_NAME";
export const PASSWORD = "PASSWORD";

export interface Snippet extends CallRequest {
  credentials: readonly Placeholder[];
}

/**
 * Returns the call as code can express it: values that no client can send are left out, and a
 * credential replaces a header of the same name.
 */
export function snippetWith(
  { method, url, headers, body }: CallRequest,
  credentials: readonly Placeholder[],
): Snippet {
  const sendable = credentials.filter((it) => it.kind === "basic" || isToken(it.header));
  const proofs = new Set(sendable.map(headerOf));
  const request = {
    method,
    url: addressOf(url),
    headers: headers.flatMap((header) => sendableOf(header, proofs)),
    credentials: sendable,
  };
  return body === undefined || method === "HEAD"
    ? request
    : { ...request, body: sendableBody(body) };
}

/** Longer texts are read from a file, to keep the code readable. */
const TEXT_CHARACTERS_MAX = 20_000;

/** Replaces lone surrogates, and a media type that would be more than one header. */
function sendableBody(body: SentBody): SentBody {
  switch (body.kind) {
    case "file":
      return { ...body, type: sendableType(body.type) };
    case "text": {
      const [type, { text }] = [sendableType(body.type), body];
      if (text.length <= TEXT_CHARACTERS_MAX) return { kind: "text", type, text: wellFormed(text) };
      return { kind: "file", type, file: new File([text], `body.${extensionOf(type)}`) };
    }
    case "form":
      return { kind: "form", parts: body.parts.map(sendablePart) };
  }
}

const sendableType = (type: string) => (isFieldValue(type) ? type.trim() : BYTES);

function sendablePart({ name, content, type, headers }: FormPart): FormPart {
  return {
    name: wellFormed(name),
    content: typeof content === "string" ? wellFormed(content) : content,
    type: type === undefined ? undefined : sendableType(type),
    headers: headers.flatMap(sendablePartHeader),
  };
}

function sendablePartHeader([name, value]: Header): Header[] {
  const trimmed = wellFormed(value).trim();
  return isToken(name) && isPartFieldValue(trimmed) ? [[name, trimmed]] : [];
}

/** Returns all headers, including `Content-Type`, and the pieces of the body. */
export function writtenOf({ headers, body }: Pick<Snippet, "headers" | "body">): {
  headers: readonly Header[];
  pieces: readonly (string | File)[];
} {
  if (body === undefined) return { headers, pieces: [] };
  const { type, pieces } = contentOf(body);
  return { headers: [...headers, ["content-type", type]], pieces };
}

/** Returns the text of the body as a file, if the code reads it from one. */
export function longBodyOf(call: CallRequest, { body }: Snippet): File | undefined {
  return call.body?.kind === "text" && body?.kind === "file" ? body.file : undefined;
}

/** Returns the names of the files that the code reads from its working directory. */
export function filesOf({ body }: Pick<Snippet, "body">): string[] {
  const pieces = body === undefined ? [] : contentOf(body).pieces;
  return pieces.flatMap((it) => (typeof it === "string" ? [] : it.name));
}

/** Trims a value: outer space is no part of it (RFC 9110, section 5.5); some clients refuse it. */
function sendableOf([name, value]: Header, proofs: ReadonlySet<string>): Header[] {
  const trimmed = value.trim();
  const isSent = isToken(name) && isFieldValue(trimmed) && !proofs.has(name.toLowerCase());
  return isSent ? [[name, trimmed]] : [];
}

function headerOf(placeholder: Placeholder): string {
  return placeholder.kind === "basic" ? "authorization" : placeholder.header.toLowerCase();
}

/** Returns the names of the environment variables that the code expects. */
export function variablesOf(credentials: readonly Placeholder[]): string[] {
  return credentials.flatMap((it) => (it.kind === "basic" ? [USER_NAME, PASSWORD] : [it.variable]));
}

/** Formats a header for curl, also in PHP: `Name:` would remove the header, `Name;` is empty. */
export function fieldLine([name, value]: Header): string {
  return value === "" ? `${name};` : `${name}: ${value}`;
}

/** Characters that are invisible, or that end a line for some compiler. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Formats a text as a string of C-like languages, which share JSON's escapes. */
export function doubleQuoted(value: string): string {
  return JSON.stringify(value).replaceAll(UNSEEN, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
