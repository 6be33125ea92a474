// A foreign document is `unknown` until it is read: these readers narrow it, and give nothing where
// a part is not what it should be.

export type Unknowns = Readonly<Record<string, unknown>>;

export function object(value: unknown): Unknowns | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Unknowns) : undefined;
}

/** An own member: what an object inherits is not in the document. */
export function member(value: unknown, name: string): unknown {
  const whole = object(value);
  return whole !== undefined && Object.hasOwn(whole, name) ? whole[name] : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The members of an object, none where it is no object. */
export function entries(value: unknown): [string, unknown][] {
  return Object.entries(object(value) ?? {});
}

/** A text that says something, of at most so many characters. */
export function words(value: unknown, charactersMax = 20_000): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return value.length > charactersMax ? `${value.slice(0, charactersMax)}…` : value;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Any value in one line of JSON, cut where it is long. */
export function inline(value: unknown, charactersMax = 80): string {
  const json = typeof value === "string" ? value : (JSON.stringify(value) as string | undefined);
  if (json === undefined) return "";
  return json.length > charactersMax ? `${json.slice(0, charactersMax)}…` : json;
}

/** A value as text: strings as they are, others as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
