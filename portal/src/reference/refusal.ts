// Recognizes refusals of the gateway and faults of SOAP services in responses.

import { member } from "./document/narrow";

/** Returns the code of a refusal, from a problem (RFC 9457) or a SOAP fault's detail. */
export function codeOf(status: number, body: string): string | undefined {
  if (status < 400) return undefined;
  if (body.trimStart().startsWith("<"))
    return /<code>([a-z_]+(?:\.[a-z_]+)?)<\/code>/.exec(body)?.[1];
  try {
    const code = member(JSON.parse(body), "code");
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

const FAULT_TEXT =
  /<(?:[\w.-]+:)?faultstring\b[^>]*>([^<]*)<|<(?:[\w.-]+:)?Reason\b[^>]*>\s*<(?:[\w.-]+:)?Text\b[^>]*>([^<]*)</;

/** Returns the text of a SOAP 1.1 or 1.2 fault; undefined if the response is not a fault. */
export function soapFaultOf(body: string): string | undefined {
  if (!/<(?:[\w.-]+:)?Fault\b/.test(body)) return undefined;
  const found = FAULT_TEXT.exec(body);
  return unescaped(found?.[1] ?? found?.[2] ?? "").trim();
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
