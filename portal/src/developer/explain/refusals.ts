// Finds refusals of the gateway in pasted text.

import { member, words } from "../../reference/document/narrow";
import { type RefusalCode, type RefusalWords, refusalWords } from "../../text/en/refusals";

const CODES = Object.keys(refusalWords) as RefusalCode[];

export function isRefusal(code: string): code is RefusalCode {
  return Object.hasOwn(refusalWords, code);
}

export function wordsOf(code: RefusalCode): RefusalWords {
  return refusalWords[code];
}

/** Returns the title of a refusal, or the code itself if it is unknown. */
export function titleOfRefusal(code: string): string {
  return isRefusal(code) ? (Object.values(wordsOf(code).titles)[0] ?? code) : code;
}

/** Result of a search in pasted text. */
export interface Pasted {
  /** The id of the request, in lower case. */
  call?: string;
  code?: RefusalCode;
  /** Without a code: the refusals with the status. */
  candidates: readonly RefusalCode[];
  status?: number;
  /** A refusal of another component, such as the control plane: its code and message. */
  other?: { code: string; detail: string | undefined };
}

/** Finds the request id and the refusal in a text. */
export function readPasted(text: string): Pasted {
  const [call] = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.exec(text) ?? [];
  const refusal = refusalIn(text);
  return call === undefined ? refusal : { ...refusal, call: call.toLowerCase() };
}

/**
 * Finds the refusal in a text: by the first code of the gateway, in a problem, a SOAP fault, a log
 * or alone; by one of our sentences; else by the status.
 */
function refusalIn(text: string): Pasted {
  const status = Number(/(?<!\d)[45]\d\d(?!\d)/.exec(text)?.[0]);
  const known = Number.isNaN(status) ? {} : { status };
  const codes: string[] = text.match(/[a-z]+\.[a-z_]+|internal/g) ?? [];
  const code = codes.find(isRefusal);
  if (code) return { code, candidates: [], ...known };
  const other = otherIn(text);
  if (other) return { other, candidates: [], ...known };
  const matching = sentencesIn(text);
  const candidates =
    matching.length > 0
      ? matching
      : CODES.filter((it) => Object.hasOwn(wordsOf(it).titles, status));
  const [only, ...others] = candidates;
  if (only && others.length === 0) return { code: only, candidates: [], ...known };
  return { candidates, ...known };
}

/** Returns a problem (RFC 9457) or an OAuth2 error (RFC 6749, section 5.2) with another code. */
function otherIn(text: string): Pasted["other"] {
  const body = bodyIn(text);
  const code = words(member(body, "code") ?? member(body, "error"), CODE_CHARACTERS_MAX);
  if (code === undefined) return undefined;
  return { code, detail: words(member(body, "detail") ?? member(body, "error_description")) };
}

const CODE_CHARACTERS_MAX = 100;

/** Parses the JSON of a text that may begin with a response head. */
function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(text.indexOf("{"), 0)));
  } catch {
    return undefined;
  }
}

/** Returns the refusals with the longest of our titles or explanations found in a text. */
function sentencesIn(text: string): RefusalCode[] {
  const read = plain(text);
  const lengths = CODES.map((code) => {
    const { titles, explained } = wordsOf(code);
    const sentences = [...Object.values(titles), explained].map(plain);
    const matching = sentences.filter((sentence) => read.includes(sentence));
    return { code, length: Math.max(0, ...matching.map((sentence) => sentence.length)) };
  });
  const longest = Math.max(...lengths.map(({ length }) => length));
  return lengths.filter(({ length }) => length > 0 && length === longest).map(({ code }) => code);
}

/** Removes differences that copying introduces: case, white space, the full stop. */
const plain = (text: string) =>
  text.toLowerCase().replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
