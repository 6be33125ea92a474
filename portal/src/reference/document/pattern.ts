// Regular expressions of foreign documents. Browsers match by backtracking, which may take
// exponential time, so only patterns with few ways to match are evaluated.

/**
 * Maximum length of a value, by the number of choices in the pattern. A pattern with more choices
 * is not evaluated.
 */
const CHARACTERS_MAX = [500, 500, 100];
const PATTERN_CHARACTERS_MAX = 1_000;

const ESCAPES_AND_CLASSES = /\\[^]|\[(?:\\[^]|[^\]\\])*\]/g;
const BACKREFERENCE = /^\\[1-9k]/;
const EXACT_COUNTS = /\{\d+\}/g;
const GROUP_STARTS = /\(\?(?::|<(?![=!])[^>]*>)/g;

/** Returns true for patterns that are invalid or too expensive. */
export function matches(pattern: string, value: string): boolean {
  if (value.length > (charactersMaxOf(pattern) ?? -1)) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** Undefined for a pattern that repeats a group, looks around, refers back or has many choices. */
function charactersMaxOf(pattern: string): number | undefined {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return undefined;
  const tokens = pattern.match(ESCAPES_AND_CLASSES) ?? [];
  if (tokens.some((it) => BACKREFERENCE.test(it))) return undefined;
  const syntax = pattern.replaceAll(ESCAPES_AND_CLASSES, "x").replaceAll(GROUP_STARTS, "(");
  if (/\(\?|\)[*+?{]/.test(syntax)) return undefined;
  const quantifiers = syntax.replaceAll(EXACT_COUNTS, "").match(/[*+?{]/g) ?? [];
  // A sequence of groups with alternatives takes exponential time as well.
  const groups = syntax.includes("|") ? (syntax.match(/\(/g) ?? []) : [];
  return CHARACTERS_MAX[quantifiers.length + groups.length];
}
