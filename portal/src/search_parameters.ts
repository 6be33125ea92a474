// What an address holds behind `?`, for `validateSearch` of routes. What is not as it should be is
// left out, as if it had not been there: such an address was made by hand.

/** Reads one parameter; `undefined` where it is none. */
type Read<T> = (value: unknown) => T | undefined;

/** Longer text was not typed. */
const TEXT_MAX = 200;

/** Text as somebody has typed it. The router reads `?q=12` as a number. */
export const text: Read<string> = (value) => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, TEXT_MAX) : undefined;
};

/** One of some words. */
export function oneOf<const T extends string>(...words: readonly T[]): Read<T> {
  return (value) => words.find((word) => word === value);
}

/** The other order of lists that are sorted by name. */
export const newestFirst = oneOf("-created");

type Readers = Record<string, Read<unknown>>;

/** What these readers make of an address. */
export type Searched<R extends Readers> = {
  [K in keyof R]?: R[K] extends Read<infer T> ? T : never;
};

/** A `validateSearch` that reads these parameters and no others. */
export function validated<R extends Readers>(readers: R) {
  return (search: Record<string, unknown>): Searched<R> => {
    const found = Object.entries(readers).map(
      ([name, read]) => [name, read(search[name])] as const,
    );
    // What is wrong is `undefined`, not absent: else the router keeps it as it stands in the
    // address.
    return Object.fromEntries(found) as Searched<R>;
  };
}

/** What may be said of some parameters: a value, or `undefined` to take one away. */
export type Change<S> = { [K in keyof S]?: S[K] | undefined };

/** A search with some of its parameters changed. */
export function changed<S extends object>(search: S, change: Change<S>): S {
  const all = Object.entries({ ...search, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as S;
}
