// A foreign document is `unknown` until it is read. These readers narrow it, and return nothing for
// invalid parts.

export type Unknowns = Readonly<Record<string, unknown>>;

export function object(value: unknown): Unknowns | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Unknowns) : undefined;
}

/** Returns an own member: inherited ones are not in the document. */
export function member(value: unknown, name: string): unknown {
  const whole = object(value);
  return whole !== undefined && Object.hasOwn(whole, name) ? whole[name] : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the members of an object; empty for other values. */
export function entries(value: unknown): [string, unknown][] {
  return Object.entries(object(value) ?? {});
}

/** Returns a non-empty text of at most `charactersMax` characters. */
export function words(value: unknown, charactersMax = 20_000): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.length > charactersMax ? `${value.slice(0, charactersMax)}…` : value;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Formats any value as one line of JSON, cut if it is long. */
export function inline(value: unknown, charactersMax = 80): string {
  const json = typeof value === "string" ? value : (JSON.stringify(value) as string | undefined);
  if (json === undefined) return "";
  return json.length > charactersMax ? `${json.slice(0, charactersMax)}…` : json;
}

/** Formats a value as text: strings unchanged, others as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
