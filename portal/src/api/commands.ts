// "Show as command": what the page has asked, as lines of curl that run when pasted. Secrets are
// left out: what holds one is a variable that the person fills in.

/** A request of the page, as it is shown. */
export interface Command {
  method: string;
  /** Path and query. */
  target: string;
  contentType: string | undefined;
  /** The entity tag of what it changes. */
  ifMatch: string | undefined;
  body: string | undefined;
}

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
  const text = isFile ? undefined : withoutSecrets(await body.text());
  const kept = { ...command, body: text ?? "@FILE" };
  commands = commands.map((it) => (it === command ? kept : it));
  for (const listener of listeners) listener();
}

function withoutSecrets(json: string): string | undefined {
  try {
    const hide = (name: string, value: unknown): unknown =>
      SECRET.test(name) && typeof value === "string" ? "$SECRET" : value;
    return JSON.stringify(JSON.parse(json), hide);
  } catch {
    return undefined;
  }
}

/** Quotes for a POSIX shell; `$SECRET` stays a variable. */
function quoted(text: string): string {
  const parts = text.split("$SECRET").map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
  return parts.join('"$SECRET"');
}

/**
 * The line to paste, after others have set `TOLLGATE`, and `TOLLGATE_TOKEN` where it `bearsToken`.
 */
export function asCurl(command: Command, bearsToken = true): string {
  const { method, target, contentType, ifMatch, body } = command;
  const words = ["curl -sS"];
  if (method !== "GET") words.push(`-X ${method}`);
  if (bearsToken) words.push(`-H "Authorization: Bearer $TOLLGATE_TOKEN"`);
  if (ifMatch !== undefined) words.push(`-H ${quoted(`If-Match: ${ifMatch}`)}`);
  if (body !== undefined) {
    words.push(`-H ${quoted(`Content-Type: ${contentType ?? "application/json"}`)}`);
    words.push(body.startsWith("@") ? `--data-binary ${body}` : `-d ${quoted(body)}`);
  }
  words.push(`"$TOLLGATE${target.replaceAll(/[$"`\\]/g, "\\$&")}"`);
  return words.join(" ");
}
