// Quoting for a POSIX shell, for commands that people paste. A value is always data, wherever it
// comes from: never a file name, an option, a variable, or a key that a terminal obeys.

/**
 * Control characters except newline: a terminal treats them as keys, so a pasted Ctrl-C would end
 * the line and turn the rest into a separate command.
 */

const KEYS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/gu;
/** bash before 5.0 expands history in the later lines of a quoted string. */
const HISTORY = /![^\s=("]/;
const laterLines = (value: string) => /\n[^]*/.exec(value)?.[0] ?? "";

/** Quotes a value for a POSIX shell. */
export function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Reports whether {@link quoted} preserves the value, also when pasted into a terminal. */
export function isQuotable(value: string): boolean {
  return value.search(KEYS) < 0 && !HISTORY.test(laterLines(value));
}

/** Returns a command that prints any value. */
export function printed(value: string): string {
  const format = value
    .replaceAll(/[\\%]/g, "$&$&")
    .replace(/\n[^]*/, (lines) => (HISTORY.test(lines) ? lines.replaceAll("!", "\\041") : lines))
    .replaceAll(KEYS, octal)
    // Not an option of `printf`.
    .replace(/^-/, "\\055");
  return `printf ${quoted(format)}`;
}

function octal(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
