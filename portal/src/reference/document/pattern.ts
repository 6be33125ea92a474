// Patterns of foreign documents, which may take exponential time: those that repeat a group are
// tried on short texts only.

const CHARACTERS_MAX = 500;
const REPEATED_GROUP = /\)[*+{]/;
const SHORT = 24;

/** True where the pattern cannot be tried. */
export function matches(pattern: string, value: string): boolean {
  if (value.length > (REPEATED_GROUP.test(pattern) ? SHORT : CHARACTERS_MAX)) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}
