// Detects the form of a document by its content, because file names and media types are unreliable.

import type { Source } from "../../api/queries/imports";

/** Maximum size that the API accepts. */
export const BYTES_MAX = 16 * 1024 * 1024;
const WSDL_BYTES_MAX = 8 * 1024 * 1024;

/** Reason why a document is not sent. */
export type Unusable = "empty" | "too_large" | "encoding" | "html" | "unknown";

type Recognised = Pick<Source, "form" | "contentType" | "text">;

export function recognise(bytes: Uint8Array): Recognised | Unusable {
  const recognised = recogniseAny(bytes);
  const isWsdl = typeof recognised === "object" && recognised.form === "wsdl";
  return isWsdl && bytes.length > WSDL_BYTES_MAX ? "too_large" : recognised;
}

function recogniseAny(bytes: Uint8Array): Recognised | Unusable {
  if (bytes.length === 0) return "empty";
  if (bytes.length > BYTES_MAX) return "too_large";
  // "PK\x03\x04": a zip archive.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4) {
    return { form: "wsdl", contentType: "application/zip" };
  }
  const text = decoded(bytes);
  if (text === undefined) return "encoding";
  const start = text.slice(0, 4096).trimStart();
  if (start.startsWith("<")) {
    if (/^(<!doctype\s+html|<html)/i.test(start)) return "html";
    return { form: "wsdl", contentType: "text/xml", text };
  }
  if (!/(^|[\s{,])["']?(openapi|swagger)["']?\s*:/.test(text)) return "unknown";
  const contentType = start.startsWith("{") ? "application/json" : "application/yaml";
  return { form: "openapi", contentType, text };
}

/** Decodes text; `undefined` if it is not text. XML declares its own encoding. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const label = bytes[0] === 0xff || bytes[0] === 0xfe ? "utf-16" : "latin1";
    const text = new TextDecoder(bytes[0] === 0xfe ? "utf-16be" : label).decode(bytes);
    return text.trimStart().startsWith("<?xml") ? text : undefined;
  }
}

/** Guesses from an address whether to try WSDL first. */
export function looksLikeWsdl(url: string): boolean {
  return /[?&](single)?wsdl\b|\.(wsdl|xml|zip|asmx|svc)\b/i.test(url);
}

/** Returns the line that a fault's sentence names, with the surrounding lines. */
export function linesAt(text: string, sentence: string): string | undefined {
  const named = /\bline (\d+)/.exec(sentence)?.[1];
  if (named === undefined) return undefined;
  const line = Number(named);
  const lines = text.split(/\r\n|\n|\r/);
  const from = Math.max(1, line - 1);
  const shown = lines.slice(from - 1, line + 1).map((content, index) => {
    const number = from + index;
    return `${number === line ? ">" : " "} ${String(number).padStart(5)}  ${content.slice(0, 200)}`;
  });
  return shown.length > 0 ? shown.join("\n") : undefined;
}
