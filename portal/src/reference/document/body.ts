// A sample body as it is sent: JSON, XML, a form, or plain text.

import { allowedOf, isAllowed } from "./given";
import type { Body, Example } from "./messages";
import type { Chosen } from "./choices";
import { isJson, isUrlEncoded, isXml } from "./media_types";
import { entries, list, member, object, plain, words } from "./narrow";
import { follow, nameOf } from "./pointer";
import { ANY, sampleOf } from "./sample";
import { jsonTypesOf } from "./types";

/**
 * Returns the first example that the schema allows, else a generated value. A request's is never
 * empty, because a required body could not be sent then.
 */
export function sampleText(
  document: unknown,
  body: Body,
  isRequest: boolean,
  chosen: Chosen = new Map(),
): string {
  const examples = chosen.size > 0 ? [] : [body.example, ...(body.examples ?? []).map(valueOf)];
  const given = examples.filter((it) => it !== undefined && it !== null);
  if (!isRequest) {
    const value = given[0] ?? sampleOf(document, body.schema, false, chosen);
    return value === undefined || value === null ? "" : valueText(document, body, value);
  }
  const checked = isJson(body.type) ? allowedOf(document, body.schema, given) : given[0];
  if (checked !== undefined) return valueText(document, body, checked);
  const made = sampleOf(document, body.schema, true, chosen);
  const isBetter = made !== undefined && isAllowed(document, body.schema, made);
  const value = isBetter ? made : (given[0] ?? made);
  const text = valueText(document, body, value ?? fallbackOf(document, body));
  return text === "" ? valueText(document, body, fallbackOf(document, body)) : text;
}

const valueOf = ({ value }: Example) => value;

/** Returns the value of a body that is not described, or of which null is the only sample. */
function fallbackOf(document: unknown, { type, schema }: Body): unknown {
  if (isUrlEncoded(type)) return { name: ANY };
  if (!isJson(type) && !isXml(type)) return ANY;
  return jsonTypesOf(document, schema).has("null") ? null : {};
}

/** Returns a value in the syntax of the body's media type. */
export function valueText(document: unknown, body: Body, value: unknown): string {
  if (isXml(body.type)) {
    if (typeof value === "string") return value;
    return `<?xml version="1.0"?>\n${xmlOf(rootOf(document, body.schema), value)}`;
  }
  if (isUrlEncoded(body.type) && object(value) !== undefined) {
    return new URLSearchParams(entries(value).map(([name, it]) => [name, plain(it)])).toString();
  }
  if (isJson(body.type) || typeof value === "object") return JSON.stringify(value, null, 2);
  return plain(value);
}

/** Returns the name of the root element: by `xml`, else of the component. */
function rootOf(document: unknown, schema: unknown): string {
  const { value, pointer } = follow(document, schema);
  return words(member(member(value, "xml"), "name"), 100) ?? nameOf(pointer) ?? "root";
}

function xmlOf(written: string, value: unknown, indent = ""): string {
  const name = /^[\p{L}_][\p{L}\p{N}._:-]*$/u.test(written) ? written : "element";
  if (Array.isArray(value)) {
    return list(value)
      .map((it) => xmlOf(name, it, indent))
      .join("\n");
  }
  if (object(value) === undefined) return `${indent}<${name}>${escaped(plain(value))}</${name}>`;
  const inside = entries(value).map(([child, it]) => xmlOf(child, it, `${indent}  `));
  return [`${indent}<${name}>`, ...inside, `${indent}</${name}>`].join("\n");
}

function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
