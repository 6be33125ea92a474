// Formats rows as CSV (RFC 4180) for spreadsheets.

/** A column of the file. */
export interface CsvColumn<Row> {
  title: string;
  value: (row: Row) => string | number;
}

/** Characters that begin a formula in spreadsheets (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;

export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map(({ value }) => value(row)));
  return [columns.map(({ title }) => title), ...lines]
    .map((fields) => `${fields.map(field).join(",")}\r\n`)
    .join("");
}

function field(value: string | number): string {
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
