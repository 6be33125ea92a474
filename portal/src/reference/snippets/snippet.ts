// The same call in several languages. Credentials are not in it: their places are variables of the
// environment, by these names. Everything else is data: it stands in the code as text.

import type { CallRequest, FormPart, Header, SentBody } from "../call_request";
import { extensionOf } from "../body_shown";
import { contentOf } from "../content";
import { BYTES } from "../document/media_types";
import { addressOf, isFieldValue, isPartFieldValue, isToken, wellFormed } from "../sendable";

/** A credential of a call, whose secret comes from a variable. */
export type Placeholder =
  { kind: "header"; header: string; prefix: string; variable: string } | { kind: "basic" };

/** Variables of a user of HTTP Basic. */
export const USER_NAME = "USER_NAME";
export const PASSWORD = "PASSWORD";

export interface Snippet extends CallRequest {
  credentials: readonly Placeholder[];
}

/**
 * The call as code can say it: what no client can send is left out, and a credential wins over a
 * header of the same name.
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

/** Replaces what has no bytes, and a media type that would be more than one header. */
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

/** All headers with `Content-Type`, and the pieces of the body. */
export function writtenOf({ headers, body }: Pick<Snippet, "headers" | "body">): {
  headers: readonly Header[];
  pieces: readonly (string | File)[];
} {
  if (body === undefined) return { headers, pieces: [] };
  const { type, pieces } = contentOf(body);
  return { headers: [...headers, ["content-type", type]], pieces };
}

/** The text of the body, if the code reads it from a file. */
export function longBodyOf(call: CallRequest, { body }: Snippet): File | undefined {
  return call.body?.kind === "text" && body?.kind === "file" ? body.file : undefined;
}

/** The names of the files that the code reads from its working directory. */
export function filesOf({ body }: Pick<Snippet, "body">): string[] {
  const pieces = body === undefined ? [] : contentOf(body).pieces;
  return pieces.flatMap((it) => (typeof it === "string" ? [] : it.name));
}

/** Space around a value is none of it (RFC 9110, section 5.5), and some clients refuse it. */
function sendableOf([name, value]: Header, proofs: ReadonlySet<string>): Header[] {
  const trimmed = value.trim();
  const isSent = isToken(name) && isFieldValue(trimmed) && !proofs.has(name.toLowerCase());
  return isSent ? [[name, trimmed]] : [];
}

function headerOf(placeholder: Placeholder): string {
  return placeholder.kind === "basic" ? "authorization" : placeholder.header.toLowerCase();
}

/** The names that the code expects in the environment. */
export function variablesOf(credentials: readonly Placeholder[]): string[] {
  return credentials.flatMap((it) => (it.kind === "basic" ? [USER_NAME, PASSWORD] : [it.variable]));
}

/** A header as curl takes it, also in PHP: `Name:` would take the header away, `Name;` is empty. */
export function fieldLine([name, value]: Header): string {
  return value === "" ? `${name};` : `${name}: ${value}`;
}

/** Characters that do not show, or that end a line for some compiler. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text as a string of C-like languages: JSON's escapes are theirs, too. */
export function doubleQuoted(value: string): string {
  return JSON.stringify(value).replaceAll(UNSEEN, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
