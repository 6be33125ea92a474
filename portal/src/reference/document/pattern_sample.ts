// A text that a simple regular expression matches: literals, classes, groups, alternatives and
// counts (ECMA-262, section 22.2.1). The result need not match patterns with other syntax.

const PATTERN_CHARACTERS_MAX = 1_000;
const GROUPS_MAX = 30;
const LENGTH_MAX = 2_000;

/** Characters to choose from for a class, in this order. */
const USUAL = Array.from("a1A0-_. x/:@+");
const BY_CLASS: Readonly<Record<string, string>> = {
  d: "1",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
};
const CONTROLS: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f", v: "\v" };

interface Reading {
  pattern: string;
  at: number;
  /** How often open repetitions are repeated beyond their minimum. */
  extra: number;
  groups: number;
}

/** Returns the text, with `extra` more repetitions than needed; undefined if it is not simple. */
export function patternSample(pattern: string, extra: number): string | undefined {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return undefined;
  const reading = { pattern, at: 0, extra, groups: 0 };
  const made = readAlternatives(reading);
  return reading.at < pattern.length ? undefined : made;
}

/** Reads alternatives up to the end of the group; returns a text for the first one. */
function readAlternatives(reading: Reading): string | undefined {
  const first = readSequence(reading);
  while (first !== undefined && reading.pattern[reading.at] === "|") {
    reading.at += 1;
    if (readSequence(reading) === undefined) return undefined;
  }
  return first;
}

function readSequence(reading: Reading): string | undefined {
  let made = "";
  while (reading.at < reading.pattern.length && !/[|)]/.test(reading.pattern[reading.at] ?? "")) {
    const atom = readAtom(reading);
    if (atom === undefined) return undefined;
    made += atom.repeat(readCount(reading));
    if (made.length > LENGTH_MAX) return undefined;
  }
  return made;
}

/** Reads the quantifier of an atom; returns how often the atom is repeated. */
function readCount(reading: Reading): number {
  const [written, sign, least, comma, most] =
    /^(?:([*+?])|\{(\d{1,4})(,?)(\d{0,4})\})\??/.exec(reading.pattern.slice(reading.at)) ?? [];
  if (written === undefined) return 1;
  reading.at += written.length;
  if (sign === "?") return Math.min(reading.extra, 1);
  if (sign !== undefined) return (sign === "+" ? 1 : 0) + reading.extra;
  if (comma === "") return Number(least);
  const end = most === "" ? Infinity : Number(most);
  return Math.min(Number(least) + reading.extra, end);
}

function readAtom(reading: Reading): string | undefined {
  const rest = reading.pattern.slice(reading.at);
  const [opening, look] = /^\((?:\?(?::|<[\w$]+>|(<?[=!])))?/.exec(rest) ?? [];
  if (opening !== undefined) {
    reading.at += opening.length;
    reading.groups += 1;
    if (look !== undefined || reading.groups > GROUPS_MAX) return undefined;
    const made = readAlternatives(reading);
    reading.at += 1;
    return reading.pattern[reading.at - 1] === ")" ? made : undefined;
  }
  const [written] =
    /^(?:\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u.{4}|x..|[^])|\[(?:\\[^]|[^\]\\])*\]|[^])/u.exec(rest) ?? [
      "",
    ];
  reading.at += written.length;
  if (written === "^" || written === "$" || /^\\b/i.test(written)) return "";
  if (written === ".") return "a";
  if (written.startsWith("[")) return inClass(written);
  return written.startsWith("\\") ? escaped(written) : written;
}

/** Returns a character that an escape matches. */
function escaped(written: string): string | undefined {
  const kind = written.slice(1, 2);
  if (/^[pP]$/.test(kind)) return usualOf(written);
  const [, code] = /^\\[ux]\{?([0-9a-fA-F]+)\}?$/.exec(written) ?? [];
  if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0xffff));
  return /^[1-9k]$/.test(kind) ? undefined : (BY_CLASS[kind] ?? CONTROLS[kind] ?? kind);
}

/** Returns a character of a class: a usual one, else the start of its first range. */
function inClass(written: string): string | undefined {
  const own = /^\[(\\?[^^])/u.exec(written)?.[1];
  return usualOf(written) ?? (own?.startsWith("\\") ? escaped(own) : own);
}

function usualOf(written: string): string | undefined {
  try {
    const pattern = new RegExp(`^${written}$`, "u");
    return USUAL.find((it) => pattern.test(it));
  } catch {
    return undefined;
  }
}
