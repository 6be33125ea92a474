// Readers of search parameters, for `validateSearch` of routes. Invalid parameters, which only
// hand-written addresses have, are ignored.

/** Reads one parameter; returns `undefined` if it is invalid. */
type Read<T> = (value: unknown) => T | undefined;

/** Longer text was not typed by a person. */
const TEXT_MAX = 200;

/** Reads text as typed. The router parses `?q=12` as a number. */
export const text: Read<string> = (value) => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, TEXT_MAX) : undefined;
};

/** Reads one of a set of words. */
export function oneOf<const T extends string>(...words: readonly T[]): Read<T> {
  return (value) => words.find((word) => word === value);
}

/** The alternative order of lists that are sorted by name. */
export const newestFirst = oneOf("-created");

type Readers = Record<string, Read<unknown>>;

/** The search parameters that these readers return. */
export type Searched<R extends Readers> = {
  [K in keyof R]?: R[K] extends Read<infer T> ? T : never;
};

/** Returns a `validateSearch` that reads only these parameters. */
export function validated<R extends Readers>(readers: R) {
  return (search: Record<string, unknown>): Searched<R> => {
    const found = Object.entries(readers).map(
      ([name, read]) => [name, read(search[name])] as const,
    );
    // Invalid parameters are `undefined`, not absent: otherwise the router would keep them.
    return Object.fromEntries(found) as Searched<R>;
  };
}

/** Changes of some parameters: a new value, or `undefined` to remove one. */
export type Change<S> = { [K in keyof S]?: S[K] | undefined };

/** Returns a search with some parameters changed. */
export function changed<S extends object>(search: S, change: Change<S>): S {
  const all = Object.entries({ ...search, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as S;
}
