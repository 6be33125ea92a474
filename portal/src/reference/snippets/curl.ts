import { isQuotable, printed, quoted } from "../../text/shell";
import type { FormPart, SentBody } from "../call_request";
import { contentOf } from "../content";
import { hasDotSegments } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, fieldLine } from "./snippet";

/** Quotes a text that ends with a variable's value. */
function withVariable(value: string, variable: string): string {
  return /^[\w: -]*$/.test(value) ? `"${value}$${variable}"` : `${quoted(value)}"$${variable}"`;
}

export function curl({ method, url, headers, body, credentials }: Snippet): string {
  // `-g`: brackets and braces in the address are literal.
  const options = hasDotSegments(url) ? "-g --path-as-is" : "-g";
  const words = [`curl ${method === "HEAD" ? "-I" : "-i"} ${options} ${quoted(url)}`];
  if (method !== "HEAD" && method !== (body === undefined ? "GET" : "POST"))
    words.push(`-X ${quoted(method)}`);
  for (const it of credentials) {
    if (it.kind === "basic") words.push(`-u "$${USER_NAME}:$${PASSWORD}"`);
    else words.push(`-H ${withVariable(`${it.header}: ${it.prefix}`, it.variable)}`);
  }
  for (const header of headers) words.push(`-H ${quoted(fieldLine(header))}`);
  const { words: bodyWords, input } = body ? wordsOf(body) : { words: [] };
  const call = [...words, ...bodyWords].join(" \\\n  ");
  return input === undefined ? call : `${input} |\n${call}`;
}

/** The curl options of a body, and the command that produces their input, if any. */
interface BodyWords {
  words: readonly string[];
  input?: string;
}

function wordsOf(body: SentBody): BodyWords {
  if (body.kind === "form" && body.parts.every(isPlain)) {
    return { words: body.parts.map(partOf) };
  }
  const { type, pieces } = contentOf(body);
  const typed = `-H ${quoted(fieldLine(["content-type", type]))}`;
  if (body.kind === "file" && isQuotable(body.file.name)) {
    return { words: [typed, `--data-binary ${quoted(`@${fileOf(body.file)}`)}`] };
  }
  // `--data-raw` is literal, unlike `--data-binary`, which reads a file after `@`.
  if (body.kind === "text" && isQuotable(body.text)) {
    return { words: [typed, `--data-raw ${quoted(body.text)}`] };
  }
  const commands = pieces.map((it) =>
    typeof it === "string" ? printed(it) : `cat ${quoted(fileOf(it))}`,
  );
  const input = commands.length === 1 ? commands.join("") : `{ ${commands.join(";\n  ")}; }`;
  return { words: [typed, "--data-binary @-"], input };
}

/** Checks whether `-F` can express the part: a name ends at the first `=`, a type at `;`. */
function isPlain({ name, content, type = "", headers }: FormPart): boolean {
  return (
    name !== "" &&
    !/[=\n]/.test(name) &&
    isQuotable(name) &&
    (typeof content !== "string" || isQuotable(content)) &&
    /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)?$/.test(type) &&
    headers.every(([, value]) => isQuotable(value) && !value.includes("\n"))
  );
}

/** Formats a form part: text is literal, a file is read by its name. */
function partOf({ name, content, type, headers }: FormPart): string {
  const fields = headers.map((header) => `;headers=${inQuotes(header.join(": "))}`);
  const typed = `${type === undefined ? "" : `;type=${type}`}${fields.join("")}`;
  if (typeof content !== "string") {
    return `-F ${quoted(`${name}=@${inQuotes(fileOf(content))}${typed}`)}`;
  }
  if (typed === "") return `--form-string ${quoted(`${name}=${content}`)}`;
  return `-F ${quoted(`${name}=${inQuotes(content)}${typed}`)}`;
}

/** Within quotes, `-F` treats `@`, `<` and `;` literally. */
const inQuotes = (value: string) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** Returns the file name in the working directory: never an option, never standard input. */
function fileOf({ name }: File): string {
  const shown = isQuotable(name) ? name : name.replaceAll(/\p{Cc}/gu, "?");
  return shown.startsWith("-") ? `./${shown}` : shown;
}
