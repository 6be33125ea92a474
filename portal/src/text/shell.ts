// Words for a POSIX shell, for lines that people paste. A value is data wherever it comes from:
// no file name, no option, no variable, and no key that a terminal obeys.

/**
 * Control characters, but for the end of a line: a terminal takes them for keys, so that a pasted
 * Ctrl-C ends the line and what follows is a command of its own.
 */

const KEYS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/gu;
/** bash before 5.0 expands history in the later lines of a quotation. */
const HISTORY = /![^\s=("]/;
const laterLines = (value: string) => /\n[^]*/.exec(value)?.[0] ?? "";

/** Quotes for a POSIX shell. */
export function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Whether {@link quoted} says the value, also where it is pasted into a terminal. */
export function isQuotable(value: string): boolean {
  return value.search(KEYS) < 0 && !HISTORY.test(laterLines(value));
}

/** The command that prints a value, whatever is in it. */
export function printed(value: string): string {
  const format = value
    .replaceAll(/[\\%]/g, "$&$&")
    .replace(/\n[^]*/, (lines) => (HISTORY.test(lines) ? lines.replaceAll("!", "\\041") : lines))
    .replaceAll(KEYS, octal)
    // No option of `printf`.
    .replace(/^-/, "\\055");
  return `printf ${quoted(format)}`;
}

function octal(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
