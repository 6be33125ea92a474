// Sample texts and numbers: the first candidate that the schema's constraints allow.

import { member, number, object } from "./narrow";
import { patternSample } from "./pattern_sample";
import { violationsOf } from "./violations";

const BY_FORMAT = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["time", "12:00:00Z"],
  ["duration", "P1D"],
  ["uuid", "3fa85f64-5717-4562-b3fc-2c963f66afa6"],
  ["email", "name@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uri-reference", "/path"],
  ["byte", "dGV4dA=="],
]);
/** Maximum length of a generated text. */
const LETTERS_MAX = 2_000;
/** Repetitions beyond those that a pattern needs; usually one reads best. */
const EXTRAS = [1, 0, 2, 3, 5, 8, 13, 21, 34, 55, 89];

export function sampleString(schema: unknown): string {
  const format = member(schema, "format");
  const formatted = typeof format === "string" ? BY_FORMAT.get(format) : undefined;
  const shown = formatted ?? "text";
  const shortest = Math.min(number(member(schema, "minLength")) ?? 0, LETTERS_MAX);
  const longest = Math.max(number(member(schema, "maxLength")) ?? LETTERS_MAX, 0);
  const padded = shown.padEnd(shortest, "x").slice(0, longest);
  const pattern = member(schema, "pattern");
  const matching =
    typeof pattern === "string" ? EXTRAS.map((extra) => patternSample(pattern, extra)) : [];
  return firstAllowed(schema, [shown, padded, ...matching]) ?? padded;
}

/** Returns 1 if it is allowed, else the nearest allowed number. */
export function sampleNumber(schema: unknown): number {
  const of = (name: string) => number(member(schema, name));
  const most = of("maximum") ?? of("exclusiveMaximum") ?? Infinity;
  const least = leastOf(schema);
  const nearest = Math.min(Math.max(1, least), most);
  const step = of("multipleOf");
  const low = of("minimum") ?? of("exclusiveMinimum") ?? -Infinity;
  const ends = [Math.floor(most), Math.ceil(most) - 1, Math.ceil(least), (low + most) / 2];
  const multiples =
    step === undefined
      ? []
      : [Math.ceil(nearest / step), Math.floor(nearest / step), 0].map((it) =>
          // Rounded, because 3 times 0.1 is not 0.3.
          Number((it * step).toPrecision(12)),
        );
  const finite = [nearest, ...ends, ...multiples].filter(Number.isFinite);
  return firstAllowed(schema, finite) ?? nearest;
}

function leastOf(schema: unknown): number {
  const exclusive = member(schema, "exclusiveMinimum");
  const least = number(member(schema, "minimum")) ?? -Infinity;
  const above = exclusive === true ? least : number(exclusive);
  return above === undefined ? least : Math.max(least, Math.floor(above) + 1);
}

const CONSTRAINTS = [
  ...["type", "minLength", "maxLength", "pattern", "format", "multipleOf"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
];

/** Checks a value against the constraints of its own type only. */
function firstAllowed<T>(schema: unknown, candidates: readonly (T | undefined)[]): T | undefined {
  const own = Object.entries(object(schema) ?? {}).filter(([name]) => CONSTRAINTS.includes(name));
  const constraints = Object.fromEntries(own);
  return candidates.find(
    (it) => it !== undefined && violationsOf(undefined, constraints, it).length === 0,
  );
}
