// The text of a body with a value: JSON, XML, a form, or plain text.

import { isJson, isUrlEncoded, isXml } from "./media_types";
import type { Body } from "./messages";
import { entries, list, member, object, plain, words } from "./narrow";
import { follow, nameOf } from "./pointer";

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
