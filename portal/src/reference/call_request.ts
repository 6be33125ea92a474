// A request as a value. The browser sends it; the samples write it in each language.

export interface CallRequest {
  method: string;
  url: string;
  /** Without `Content-Type`, which belongs to the body. */
  headers: readonly Header[];
  body?: SentBody | undefined;
}

export type Header = readonly [name: string, value: string];

export type SentBody =
  | { kind: "text"; type: string; text: string }
  | { kind: "file"; type: string; file: File }
  | { kind: "form"; parts: readonly FormPart[] };

/** A part of a form (RFC 7578). */
export interface FormPart {
  name: string;
  content: string | File;
  /** The media type; `text/plain` if undefined. */
  type: string | undefined;
  headers: readonly Header[];
}

/** Adds credential headers, which replace parameters of the same name. */
export function provenBy(headers: readonly Header[], proofs: readonly Header[]): Header[] {
  const names = new Set(proofs.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...proofs];
}
