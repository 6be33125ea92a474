import { isQuotable, printed, quoted } from "../../text/shell";
import { isToken } from "../sendable";
import { PASSWORD, type Snippet, USER_NAME, fieldLine } from "./snippet";

/** A text that ends with a variable's value. */
function withVariable(value: string, variable: string): string {
  return /^[\w: -]*$/.test(value) ? `"${value}$${variable}"` : `${quoted(value)}"$${variable}"`;
}

export function curl(snippet: Snippet): string {
  const { method, url, headers, body, form, credentials } = snippet;
  // `-g`: brackets and braces in the address are what they are.
  const words = [`curl -i -g ${quoted(url)}`];
  if (method === "HEAD") words[0] = `curl -I -g ${quoted(url)}`;
  else if (method !== (body === undefined && !form ? "GET" : "POST"))
    words.push(`-X ${quoted(method)}`);
  for (const it of credentials) {
    if (it.kind === "basic") words.push(`-u "$${USER_NAME}:$${PASSWORD}"`);
    else words.push(`-H ${withVariable(`${it.header}: ${it.prefix}`, it.variable)}`);
  }
  for (const header of headers) words.push(`-H ${quoted(fieldLine(header))}`);
  const { words: bodyWords, input } = form ? formWords([...form]) : textWords(body);
  const call = [...words, ...bodyWords].join(" \\\n  ");
  return input === undefined ? call : `${input} |\n${call}`;
}

/** The words that give curl a body, and the command whose output they read, if any. */
interface BodyWords {
  words: readonly string[];
  input?: string;
}

/** `--data-raw` takes no file for its value, unlike `--data-binary`, which reads one after `@`. */
function textWords(body: string | undefined): BodyWords {
  if (body === undefined) return { words: [] };
  if (isQuotable(body)) return { words: [`--data-raw ${quoted(body)}`] };
  return { words: ["--data-binary @-"], input: printed(body) };
}

type Part = readonly [name: string, value: FormDataEntryValue];

/** Parts as curl's own words, or, where those could not say them, written out. */
function formWords(parts: readonly Part[]): BodyWords {
  const isPlain = parts.every(
    ([name, value]) => isPartName(name) && (typeof value !== "string" || isQuotable(value)),
  );
  if (isPlain) return { words: parts.map(part) };
  const boundary = boundaryOf(parts);
  const type = `Content-Type: multipart/form-data; boundary=${boundary}`;
  return {
    words: [`-H ${quoted(type)}`, "--data-binary @-"],
    input: `{ ${[...parts.flatMap((it) => written(it, boundary)), printed(`--${boundary}--\r\n`)].join(";\n  ")}; }`,
  };
}

/** curl ends the name at the first `=`, and takes a file for what follows `=@` or `=<`. */
function isPartName(name: string): boolean {
  return name !== "" && !/[=\n]/.test(name) && isQuotable(name);
}

/** Text is sent as it is, a file is read by its name. */
function part([name, value]: Part): string {
  if (typeof value === "string") return `--form-string ${quoted(`${name}=${value}`)}`;
  const file = fileOf(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `-F ${quoted(`${name}=@"${file}"`)}`;
}

/** A part by RFC 7578, its names escaped as browsers do (HTML, section 4.10.21.8). */
function written([name, value]: Part, boundary: string): string[] {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`;
  if (typeof value === "string") return [printed(`${head}\r\n\r\n${value}\r\n`)];
  const type = isMediaType(value.type) ? value.type : "application/octet-stream";
  const fileHead = `; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`;
  return [printed(head + fileHead), `cat ${quoted(fileOf(value))}`, printed("\r\n")];
}

const escaped = (name: string) =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const isMediaType = (type: string) => type.split("/").every(isToken) && type.includes("/");

/** The file's name in the reader's folder: never an option, never standard input. */
function fileOf({ name }: File): string {
  const shown = isQuotable(name) ? name : name.replaceAll(/\p{Cc}/gu, "?");
  return shown.startsWith("-") ? `./${shown}` : shown;
}

/** A line that no part has in it. */
function boundaryOf(parts: readonly Part[]): string {
  const texts = parts.flat().filter((it) => typeof it === "string");
  let boundary = "form-boundary";
  while (texts.some((it) => it.includes(boundary))) boundary += "-";
  return boundary;
}
