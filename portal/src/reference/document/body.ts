// A sample body as the text that is sent: JSON, XML, a form, or plain text.

import type { Body } from "./messages";
import { isUrlEncoded, pairsOf, plain } from "./form_fields";
import { entries, list, member, object, words } from "./narrow";
import { follow, nameOf } from "./pointer";
import { sampleOf } from "./sample";

export function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(type);
}

export function isXml(type: string): boolean {
  return /^[^;]*[/+]xml\s*(;|$)/i.test(type);
}

/** Whether a body of this type can be typed. */
export function isTypable(type: string): boolean {
  return isJson(type) || isXml(type) || isUrlEncoded(type) || /^(text\/|\*\/\*)/i.test(type);
}

/** A sample; empty where nothing is known of it. */
export function sampleText(document: unknown, body: Body, isRequest: boolean): string {
  const value = body.example ?? sampleOf(document, body.schema, isRequest);
  if (value === undefined || value === null) return "";
  if (isXml(body.type)) {
    if (typeof value === "string") return value;
    return `<?xml version="1.0"?>\n${xmlOf(rootOf(document, body.schema), value)}`;
  }
  if (isUrlEncoded(body.type) && object(value) !== undefined) {
    return new URLSearchParams(pairsOf(value)).toString();
  }
  if (isJson(body.type) || typeof value === "object") return JSON.stringify(value, null, 2);
  return plain(value);
}

/** The name of the root element: by `xml`, else of the component. */
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
