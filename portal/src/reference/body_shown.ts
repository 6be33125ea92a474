// The displayed part of a response body: text up to a limit, with JSON and XML indented; other
// bodies can be downloaded.

import { isJson, isXml } from "./document/media_types";
import { prettyJson, prettyXml } from "./pretty";

export type Shown =
  | { kind: "empty" }
  | { kind: "binary" }
  /** `cutAt`: number of bytes shown, if there are more. */
  | { kind: "text"; text: string; cutAt: number | undefined };

/** Bytes initially shown as text, which browsers lay out without a noticeable delay. */
export const FIRST_BYTES = 128 * 1024;
/** Bytes shown on request. */
export const SHOWN_BYTES_MAX = 1024 * 1024;

const NO_TEXT =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|pdf|zip|gzip))/i;

/** Returns the displayed part of a body: its first `bytesMax` bytes if it is text. */
export async function shownOf(body: Blob, type: string, bytesMax: number): Promise<Shown> {
  if (body.size === 0) return { kind: "empty" };
  if (NO_TEXT.test(type)) return { kind: "binary" };
  const isCut = body.size > bytesMax;
  const start = await body.slice(0, bytesMax).arrayBuffer();
  const text = decoded(start, type, isCut);
  if (text === undefined) return { kind: "binary" };
  return { kind: "text", text: pretty(text, type), cutAt: isCut ? bytesMax : undefined };
}

/** Decodes text; undefined if the bytes are not text in the charset of the type. */
function decoded(bytes: ArrayBuffer, type: string, isCut: boolean): string | undefined {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    // As a stream: a character split by the cut is left out.
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function pretty(text: string, type: string): string {
  const start = text.trimStart();
  if (isJson(type) && /^[{["]/.test(start)) return prettyJson(text);
  return isXml(type) && start.startsWith("<") ? prettyXml(text) : text;
}

/** Returns the file extension of a media type. */
export function extensionOf(type: string): string {
  if (isJson(type)) return "json";
  if (isXml(type)) return "xml";
  const subtype = /^(?:image|text|application)\/([a-z0-9]{2,5})\b/i.exec(type)?.[1]?.toLowerCase();
  return subtype === "plain" ? "txt" : (subtype ?? "bin");
}
