// The request that somebody has filled in: parameters where they belong, encoded as OpenAPI says,
// and what keeps it from being sent. The credential comes on top, elsewhere.

import { text } from "../text/text";
import type { CallRequest, Header } from "./call";
import type { FilledBody } from "./form";
import { plain } from "./document/form_fields";
import { entries, list, object } from "./document/narrow";
import { type Operation, type Parameter, PLACEHOLDER, keyOf } from "./document/operations";
import { typeOf } from "./document/schema";
import { encoded, isFieldValue, isToken, wellFormed } from "./sendable";

/** What somebody has typed. */
export interface Inputs {
  /** Texts of parameters, by {@link keyOf}; empty ones are left out. */
  values: ReadonlyMap<string, string>;
  bodyType: string | undefined;
  body: FilledBody;
}

export interface Filled {
  request: CallRequest;
  /** What is wrong with a parameter, by {@link keyOf}. */
  faults: ReadonlyMap<string, string>;
}

/** How the text of a parameter is read. */
export type Reading = "text" | "list" | "json";

export function readingOf(document: unknown, { schema, style }: Parameter): Reading {
  if (style === "content") return "text";
  const type = typeOf(document, schema);
  if (type.startsWith(text.reference.schema.arrayOf(""))) return "list";
  return style === "deepObject" || type.startsWith("object") ? "json" : "text";
}

/** Puts parameters and body where they belong, below the version's address. */
export function fill(
  document: unknown,
  address: string,
  operation: Operation,
  inputs: Inputs,
): Filled {
  const faults = new Map<string, string>();
  const query: string[] = [];
  const headers: Header[] = [];
  const cookies: string[] = [];
  const inPath = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const typed = inputs.values.get(keyOf(parameter)) ?? "";
    if (typed === "") {
      if (parameter.isRequired) {
        faults.set(keyOf(parameter), text.reference.tryIt.missing(parameter.name));
      }
      continue;
    }
    const value = read(typed, readingOf(document, parameter));
    const fault = fieldFault(parameter, simple(value, wellFormed));
    if (fault !== undefined) faults.set(keyOf(parameter), fault);
    else if (parameter.in === "query") query.push(...queryOf(parameter, value));
    else if (parameter.in === "header") headers.push([parameter.name, simple(value, wellFormed)]);
    else if (parameter.in === "cookie") cookies.push(`${parameter.name}=${simple(value, encoded)}`);
    else inPath.set(parameter.name, simple(value, encoded));
  }
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")]);
  const path = operation.path.replaceAll(
    PLACEHOLDER,
    (whole, name: string) => inPath.get(name) ?? whole,
  );
  for (const [name] of inPath) {
    // URLs have no way to say these as names (WHATWG URL, section 4.4).
    if (hasDots(path))
      faults.set(keyOf({ in: "path", name }), text.reference.tryIt.unsendablePath(name));
  }
  const hasBody = inputs.bodyType !== undefined && inputs.body !== "";
  // Browsers name the type of a form themselves, with its boundary.
  if (hasBody && typeof inputs.body === "string") {
    headers.push(["content-type", inputs.bodyType ?? ""]);
  }
  const url = `${address}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const body = hasBody ? inputs.body : undefined;
  return { request: { method: operation.method, url, headers, body }, faults };
}

/** Why HTTP cannot send a parameter as a header or a cookie. */
function fieldFault({ name, in: place }: Parameter, value: string): string | undefined {
  if (place !== "header" && place !== "cookie") return undefined;
  if (!isToken(name)) return text.reference.tryIt.unsendableName(name);
  if (place === "header" && !isFieldValue(value))
    return text.reference.tryIt.unsendableHeader(name);
  return undefined;
}

function hasDots(path: string): boolean {
  return path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/** What was typed, as the value that is written. JSON that is none stays a text. */
function read(typed: string, reading: Reading): unknown {
  if (reading === "list") return typed.split(",").map((part) => part.trim());
  if (reading === "text") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/** A value in a path or a header: parts are separated by commas. */
function simple(value: unknown, encode: (text: string) => string): string {
  if (Array.isArray(value))
    return list(value)
      .map((it) => encode(plain(it)))
      .join(",");
  if (object(value) === undefined) return encode(plain(value));
  return entries(value)
    .flatMap(([name, it]) => [encode(name), encode(plain(it))])
    .join(",");
}

const SEPARATORS = new Map([
  ["form", ","],
  ["spaceDelimited", "%20"],
  ["pipeDelimited", "%7C"],
]);

/** The pairs of a query parameter, by its style. */
function queryOf({ name, style, explode }: Parameter, value: unknown): string[] {
  const pair = (name: string, it: string) => `${encoded(name)}=${it}`;
  const written = (it: unknown) => encoded(plain(it));
  if (Array.isArray(value)) {
    const parts = list(value).map(written);
    if (explode) return parts.map((it) => pair(name, it));
    return [pair(name, parts.join(SEPARATORS.get(style) ?? ","))];
  }
  if (object(value) === undefined) return [pair(name, written(value))];
  if (style === "deepObject")
    return entries(value).map(([key, it]) => pair(`${name}[${key}]`, written(it)));
  if (explode) return entries(value).map(([key, it]) => pair(key, written(it)));
  return [pair(name, simple(value, encoded))];
}

/** Headers that browsers set themselves (Fetch, forbidden request-headers). */
const BROWSERS_OWN =
  /^(proxy-.*|sec-.*|accept-(charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|user-agent)$/i;

export function isBrowsersOwn(parameter: Pick<Parameter, "in" | "name">): boolean {
  return (
    parameter.in === "cookie" || (parameter.in === "header" && BROWSERS_OWN.test(parameter.name))
  );
}
