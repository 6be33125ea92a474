// Schema violations, as predicates of sentences that begin with the name of the value.

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function span(least: number | undefined, most: number | undefined, what: string): string {
  const of = (count: number) => `${count} ${what}${count === 1 ? "" : "s"}`;
  if (least !== undefined && least === most) return `must have exactly ${of(least)}`;
  if (most === undefined) return `must have at least ${of(least ?? 0)}`;
  if (least === undefined) return `must have at most ${of(most)}`;
  return `must have ${least} to ${of(most)}`;
}

export const violationWords = {
  nothing: "is not allowed",
  type: (types: readonly string[]) =>
    `must be ${types.map((it) => (Object.hasOwn(TYPES, it) ? TYPES[it] : it)).join(" or ")}`,
  oneOf: (values: readonly string[], more: number) => {
    const shown = values.join(", ");
    if (values.length === 1) return `must be ${shown}`;
    return `must be one of ${shown}${more > 0 ? ` and ${more} more` : ""}`;
  },
  characters: (least: number | undefined, most: number | undefined) =>
    span(least, most, "character"),
  items: (least: number | undefined, most: number | undefined) => span(least, most, "item"),
  pattern: (pattern: string) => `must match ${pattern}`,
  format: (format: string) => {
    const formats: Readonly<Record<string, string>> = {
      date: "a date such as 2026-01-31",
      "date-time": "a date and time such as 2026-01-31T12:00:00Z",
      uuid: "a UUID",
    };
    return `must be ${formats[format] ?? format}`;
  },
  atLeast: (bound: number) => `must be at least ${bound}`,
  atMost: (bound: number) => `must be at most ${bound}`,
  above: (bound: number) => `must be above ${bound}`,
  below: (bound: number) => `must be below ${bound}`,
  multipleOf: (step: number) => `must be a multiple of ${step}`,
  unique: "must not have the same item twice",
  required: (name: string) => `must have the member ${name}`,
  size: "has too few or too many members",
  additional: (name: string) => `must not have the member ${name}`,
  noAlternative: "matches none of the alternatives of its schema",
  manyAlternatives: "matches more than one of the alternatives of its schema",
  ofField: (name: string, at: string, words: string) => `${name}${at} ${words}.`,
  ofBody: (at: string, words: string) =>
    at === "" ? `The body ${words}.` : `In the body, ${at} ${words}.`,
};
