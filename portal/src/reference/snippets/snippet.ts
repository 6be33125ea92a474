// The same call in several languages. Credentials are not in it: their places are variables of the
// environment, by these names. Everything else is data: it stands in the code as text.

import type { CallRequest, Header } from "../call";
import { addressOf, isFieldValue, isToken, wellFormed } from "../sendable";

/** A credential of a call, whose secret comes from a variable. */
export type Placeholder =
  { kind: "header"; header: string; prefix: string; variable: string } | { kind: "basic" };

/** Variables of a user of HTTP Basic. */
export const USER_NAME = "USER_NAME";
export const PASSWORD = "PASSWORD";

export interface Snippet extends Omit<CallRequest, "body"> {
  body?: string | undefined;
  /** In place of a body; only the line for curl can say it. */
  form?: FormData;
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
  if (body === undefined || method === "HEAD") return request;
  return body instanceof FormData
    ? { ...request, form: body }
    : { ...request, body: wellFormed(body) };
}

/** Space around a value is none of it (RFC 9110, section 5.5), and some clients refuse it. */
function sendableOf([name, value]: Header, proofs: ReadonlySet<string>): Header[] {
  const trimmed = wellFormed(value).trim();
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
