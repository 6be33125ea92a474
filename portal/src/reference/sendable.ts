// Checks and encodings for HTTP and URLs, for values of a document or a user. A value that cannot
// be sent is a fault of its field; it is never cut or sent differently.

/** Checks a header or cookie name (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1). */
export function isToken(name: string): boolean {
  return /^[\w!#$%&'*+\-.^`|~]+$/.test(name);
}

/**
 * Checks whether every client sends a header value as the same bytes: printable ASCII characters.
 * Others are sent in different encodings, or rejected (RFC 9110, section 5.5). Tabs would be keys
 * in a pasted curl command.
 */
export function isFieldValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

/** Checks a header of a form part, which is always sent in UTF-8. */
export function isPartFieldValue(value: string): boolean {
  return !/[\u0000-\u001f\u007f]/.test(value);
}

/** Replaces lone surrogates, which no encoding can represent. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Encodes a value in a URL: all but unreserved characters (RFC 3986, section 2.3). */
export function encoded(text: string): string {
  return encodeURIComponent(wellFormed(text)).replaceAll(/[!'()*]/g, percent);
}

/**
 * Encodes a query value except for reserved characters (RFC 6570, section 3.2.3). Those that end
 * or split a query are encoded, and the apostrophe, as browsers do.
 */
export function reservedKept(text: string): string {
  const isEncoded = /%(?![0-9a-f]{2})|[^\w\-.~:/?@!$()*,;=%]/giu;
  return wellFormed(text).replaceAll(isEncoded, encoded);
}

/** Encodes a name or a value of a URL-encoded form (WHATWG URL, section 5.2). */
export function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Checks for dot segments, which most clients resolve (WHATWG URL, section 4.4). */
export function hasDotSegments(url: string): boolean {
  const path = url.replace(/[?#][^]*$/, "");
  return path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/**
 * Encodes a URL with the characters of RFC 3986, section 2, so that every client sends it
 * unchanged. Braces stay: they are parameters without a value yet.
 */
export function addressOf(url: string): string {
  const [, origin = "", rest = ""] = /^([a-z]+:\/\/[^/?#]*)?([^]*)$/i.exec(url) ?? [];
  const isEncoded = /%(?![0-9a-f]{2})|[^\w\-.~:/?#@!$&'()*+,;=%{}]/giu;
  return origin + wellFormed(rest).replaceAll(isEncoded, encodeURIComponent);
}
