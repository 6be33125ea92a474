// Finds refusals of the gateway by what people have of them.

import { type RefusalCode, type RefusalWords, refusalWords } from "../../text/en/refusals";

const CODES = Object.keys(refusalWords) as RefusalCode[];

export function isRefusal(code: string): code is RefusalCode {
  return Object.hasOwn(refusalWords, code);
}

export function wordsOf(code: RefusalCode): RefusalWords {
  return refusalWords[code];
}

/** What the caller reads; of a code that is not known, the code. */
export function titleOfRefusal(code: string): string {
  return isRefusal(code) ? (Object.values(wordsOf(code).titles)[0] ?? code) : code;
}

/** What was found in a pasted text. */
export interface Pasted {
  code?: RefusalCode;
  /** Without a code: those that have the status. */
  candidates: readonly RefusalCode[];
  status?: number;
}

/** The first code of the gateway in a text: of a problem, a SOAP fault, a log, or the bare word. */
export function readPasted(text: string): Pasted {
  const status = Number(/(?<!\d)[45]\d\d(?!\d)/.exec(text)?.[0]);
  const known = Number.isNaN(status) ? {} : { status };
  const words: string[] = text.match(/[a-z]+\.[a-z_]+|internal/g) ?? [];
  const code = words.find(isRefusal);
  if (code) return { code, candidates: [], ...known };
  const candidates = CODES.filter((it) => Object.hasOwn(wordsOf(it).titles, status));
  const [only, ...others] = candidates;
  if (only && others.length === 0) return { code: only, candidates: [], ...known };
  return { candidates, ...known };
}
