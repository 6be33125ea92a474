// What is shown of an answer's body: text up to a bound, JSON and XML with indents; what is no text
// is downloaded.

import { isJson, isXml } from "./document/media_types";
import { prettyJson, prettyXml } from "./pretty";

export type Shown =
  | { kind: "empty" }
  | { kind: "binary" }
  /** `cutAt`: how many bytes of it are shown, where there are more. */
  | { kind: "text"; text: string; cutAt: number | undefined };

/** Bytes that are shown as text at first: laid out in less time than anybody notices. */
export const FIRST_BYTES = 128 * 1024;
/** Bytes that are shown when somebody asks for more. */
export const SHOWN_BYTES_MAX = 1024 * 1024;

const NO_TEXT =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|pdf|zip|gzip))/i;

/** What is shown of a body, of its first `bytesMax` bytes where it is a text. */
export async function shownOf(body: Blob, type: string, bytesMax: number): Promise<Shown> {
  if (body.size === 0) return { kind: "empty" };
  if (NO_TEXT.test(type)) return { kind: "binary" };
  const isCut = body.size > bytesMax;
  const start = await body.slice(0, bytesMax).arrayBuffer();
  const text = decoded(start, type, isCut);
  if (text === undefined) return { kind: "binary" };
  return { kind: "text", text: pretty(text, type), cutAt: isCut ? bytesMax : undefined };
}

/** Undefined where the bytes are no text of the charset that the type names. */
function decoded(bytes: ArrayBuffer, type: string, isCut: boolean): string | undefined {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    // As a stream: a character that the cut has gone through is left out.
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

/** The end of a file's name, by its media type. */
export function extensionOf(type: string): string {
  if (isJson(type)) return "json";
  if (isXml(type)) return "xml";
  const subtype = /^(?:image|text|application)\/([a-z0-9]{2,5})\b/i.exec(type)?.[1]?.toLowerCase();
  return subtype === "plain" ? "txt" : (subtype ?? "bin");
}
