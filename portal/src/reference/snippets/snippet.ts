// The same call in several languages. Credentials are not in it: their places are variables of the
// environment, by these names.

import type { CallRequest } from "../call";

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

export function snippetWith(
  { body, ...request }: CallRequest,
  credentials: readonly Placeholder[],
): Snippet {
  return body instanceof FormData
    ? { ...request, form: body, credentials }
    : { ...request, body, credentials };
}

/** The names that the code expects in the environment. */
export function variablesOf(credentials: readonly Placeholder[]): string[] {
  return credentials.flatMap((it) => (it.kind === "basic" ? [USER_NAME, PASSWORD] : [it.variable]));
}

/** A text as a string of C-like languages: JSON's escapes are theirs, too. */
export function doubleQuoted(value: string): string {
  // C# takes these two for ends of lines.
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
