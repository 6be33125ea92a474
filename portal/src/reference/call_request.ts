// A request as a value: the browser sends it, and each language of the samples writes it.

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
  /** Its media type; a text without one is `text/plain`. */
  type: string | undefined;
  headers: readonly Header[];
}
