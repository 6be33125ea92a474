// Titles of a foreign document: one line of plain text, without Markdown and HTML.

import { words } from "./narrow";

const TITLE_CHARACTERS_MAX = 200;

/** Elements that only format a line. Others, such as `<id>`, are words of the title. */
const FORMATTING =
  /<\/?(?:a|b|big|code|del|div|em|font|h[1-6]|i|ins|kbd|mark|p|s|small|span|strong|sub|sup|tt|u)(?:\s[^<>]*)?>/gi;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
]);

/** Converts a title to plain text; undefined if nothing is left. */
export function titleOf(value: unknown): string | undefined {
  const written = words(value, TITLE_CHARACTERS_MAX);
  if (written === undefined) return undefined;
  const plain = withoutMarkdown(written.replaceAll(/<br\s*\/?>/gi, " ").replaceAll(FORMATTING, ""));
  const decoded = plain.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, characterOf);
  return words(decoded.replaceAll(/\s+/g, " ").trim());
}

/** Removes markup around words; characters within a word, as in `snake_case`, are kept. */
function withoutMarkdown(title: string): string {
  return title
    .replace(/^\s*#{1,6}\s+/, "")
    .replaceAll(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replaceAll(/(`+)([^`]+)\1/g, "$2")
    .replaceAll(/(\*\*|~~)(?=\S)([^*~]*[^*~\s])\1/g, "$2")
    .replaceAll(/(?<![\p{L}\p{N}*])\*(?=\S)([^*]*[^*\s])\*(?![\p{L}\p{N}*])/gu, "$1")
    .replaceAll(/(?<![\p{L}\p{N}_])(__?)(?=\S)([^_]*[^_\s])\1(?![\p{L}\p{N}_])/gu, "$2");
}

function characterOf(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? entity;
  const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : entity;
}
