// Regular expressions of foreign documents. Backtracking may take exponential time, so patterns
// that repeat a group are applied to short strings only.

const CHARACTERS_MAX = 500;
const REPEATED_GROUP = /\)[*+{]/;
const SHORT = 24;

/** Returns true for patterns that are invalid or too expensive. */
export function matches(pattern: string, value: string): boolean {
  if (value.length > (REPEATED_GROUP.test(pattern) ? SHORT : CHARACTERS_MAX)) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}
