// "Show as command": the page's requests as curl commands that run when pasted. Secrets are
// replaced by variables that the user sets. Everything else is data.

import { quoted } from "../text/shell";

/** A request of the page, as shown. */
export interface Command {
  method: string;
  /** Path and query. */
  target: string;
  contentType: string | undefined;
  /** The `If-Match` entity tag of the resource that it changes. */
  ifMatch: string | undefined;
  /** JSON, split where the secrets were; or a file of the user. */
  body: readonly string[] | typeof FILE | undefined;
}

/** A body that is a file of the user. */
const FILE = Symbol("file");

/** Maximum number of commands per page; older ones are dropped. */
const COMMANDS_MAX = 20;
/** A longer body is shown as a file, which the user has anyway. */
const BODY_BYTES_MAX = 4096;
/** Members with values that are never shown, at any depth of a body. */
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

/** Clears the list for a new page. */
export function forgetCommands(): void {
  commands = [];
}

/** Records a request. A repeated read replaces the earlier one. */
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

/** Splits JSON at its secrets; undefined if the text is not JSON. */
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
 * Formats a command as one line, which expects `TOLLGATE` to be set, and `TOLLGATE_TOKEN` if it
 * `bearsToken`.
 */
export function asCurl(command: Command, bearsToken = true): string {
  const { method, target, contentType, ifMatch, body } = command;
  const words = ["curl -sS"];
  if (method !== "GET") words[0] = `curl -sS -X ${method}`;
  if (bearsToken) words.push(`-H "Authorization: Bearer $TOLLGATE_TOKEN"`);
  if (body !== undefined) {
    words.push(`-H ${quoted(`Content-Type: ${contentType ?? "application/json"}`)}`);
  }
  if (ifMatch !== undefined) words.push(`-H ${quoted(`If-Match: ${ifMatch}`)}`);
  if (body === FILE) words.push("--data-binary @FILE");
  else if (body !== undefined) words.push(`--data-raw ${body.map(quoted).join('"$SECRET"')}`);
  // The remaining characters have no special meaning to the shell or to curl.
  words.push(`"$TOLLGATE${target.replaceAll(/[^\w\-./?&=%:~+,;@]/gu, percentEncoded)}"`);
  return words.join(" ");
}

function percentEncoded(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
