// "Show as command": what the page has asked, as lines of curl that run when pasted. Secrets are
// left out: what holds one is a variable that the person fills in. Everything else is data.

import { quoted } from "../text/shell";

/** A request of the page, as it is shown. */
export interface Command {
  method: string;
  /** Path and query. */
  target: string;
  contentType: string | undefined;
  /** The entity tag of what it changes. */
  ifMatch: string | undefined;
  /** JSON, cut where the secrets were; or a file that the person has. */
  body: readonly string[] | typeof FILE | undefined;
}

/** A body that is a file of the person's. */
export const FILE = Symbol("file");

/** The last ones of a page; older ones are left out. */
const COMMANDS_MAX = 20;
/** A longer body is a file that the person has anyway. */
const BODY_BYTES_MAX = 4096;
/** Members whose values are never shown, wherever they are in a body. */
const SECRET = /^(password|new_password|value|client_secret|token)$/;

let commands: readonly Command[] = [];
const listeners = new Set<() => void>();

export function commandsOfPage(): readonly Command[] {
  return commands;
}

export function subscribeToCommands(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A new page has a list of its own. */
export function forgetCommands(): void {
  commands = [];
}

/** Notes a request. One that only reads again replaces what it was before. */
export function note(request: Request, body: Blob | undefined): void {
  const url = new URL(request.url);
  if (url.pathname === "/api/v1/session") return;
  const command: Command = {
    method: request.method,
    target: url.pathname + url.search,
    contentType: request.headers.get("content-type") ?? undefined,
    ifMatch: request.headers.get("if-match") ?? undefined,
    body: undefined,
  };
  const others = commands.filter(
    (it) => it.method !== "GET" || command.method !== "GET" || it.target !== command.target,
  );
  commands = [...others, command].slice(-COMMANDS_MAX);
  for (const listener of listeners) listener();
  if (body !== undefined && body.size > 0) void keepBody(command, body);
}

async function keepBody(command: Command, body: Blob): Promise<void> {
  const isFile = !command.contentType?.includes("json") || body.size > BODY_BYTES_MAX;
  const pieces = isFile ? undefined : withoutSecrets(await body.text());
  const kept: Command = { ...command, body: pieces ?? FILE };
  commands = commands.map((it) => (it === command ? kept : it));
  for (const listener of listeners) listener();
}

/** The JSON between its secrets; undefined where it is none. */
function withoutSecrets(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    let mark = "SECRET";
    while (JSON.stringify(value).includes(mark)) mark += "_";
    const hide = (name: string, member: unknown): unknown =>
      SECRET.test(name) && typeof member === "string" ? mark : member;
    return JSON.stringify(value, hide)
      .replaceAll(/[\u007f-\u009f]/g, escaped)
      .split(mark);
  } catch {
    return undefined;
  }
}

const escaped = (control: string) => `\\u00${control.charCodeAt(0).toString(16)}`;

/**
 * The line to paste, after others have set `TOLLGATE`, and `TOLLGATE_TOKEN` where it `bearsToken`.
 */
export function asCurl(command: Command, bearsToken = true): string {
  return wordsOf(command, bearsToken).join(" ");
}

/** {@link asCurl} in several lines, where it stands alone. */
export function asCurlLines(command: Command): string {
  return wordsOf(command, true).join(" \\\n  ");
}

function wordsOf({ method, target, contentType, ifMatch, body }: Command, bearsToken: boolean) {
  const words = ["curl -sS"];
  if (method !== "GET") words[0] = `curl -sS -X ${method}`;
  if (bearsToken) words.push(`-H "Authorization: Bearer $TOLLGATE_TOKEN"`);
  if (body !== undefined) {
    words.push(`-H ${quoted(`Content-Type: ${contentType ?? "application/json"}`)}`);
  }
  if (ifMatch !== undefined) words.push(`-H ${quoted(`If-Match: ${ifMatch}`)}`);
  if (body === FILE) words.push("--data-binary @FILE");
  else if (body !== undefined) words.push(`--data-raw ${body.map(quoted).join('"$SECRET"')}`);
  // Neither the shell nor curl reads more than text in the characters that are left.
  words.push(`"$TOLLGATE${target.replaceAll(/[^\w\-./?&=%:~+,;@]/gu, percentEncoded)}"`);
  return words;
}

function percentEncoded(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
