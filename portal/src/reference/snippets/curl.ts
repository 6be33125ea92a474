import { PASSWORD, type Snippet, USER_NAME } from "./snippet";

/** Quotes for a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A text that ends with a variable's value. */
function withVariable(value: string, variable: string): string {
  return /^[\w: -]*$/.test(value) ? `"${value}$${variable}"` : `${quoted(value)}"$${variable}"`;
}

/** A part of a form: text is sent as it is, a file is read by its name. */
function part(name: string, value: string | File): string {
  if (typeof value === "string") return `--form-string ${quoted(`${name}=${value}`)}`;
  const file = value.name.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `-F ${quoted(`${name}=@"${file}"`)}`;
}

export function curl({ method, url, headers, body, form, credentials }: Snippet): string {
  // `-g`: brackets and braces in the address are what they are.
  const words = [`curl -i -g ${quoted(url)}`];
  if (method === "HEAD") words[0] = `curl -I -g ${quoted(url)}`;
  else if (method !== (body === undefined && !form ? "GET" : "POST"))
    words.push(`-X ${quoted(method)}`);
  for (const it of credentials) {
    if (it.kind === "basic") words.push(`-u "$${USER_NAME}:$${PASSWORD}"`);
    else words.push(`-H ${withVariable(`${it.header}: ${it.prefix}`, it.variable)}`);
  }
  for (const [name, value] of headers) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`--data-binary ${quoted(body)}`);
  for (const [name, value] of form ?? []) words.push(part(name, value));
  return words.join(" \\\n  ");
}
