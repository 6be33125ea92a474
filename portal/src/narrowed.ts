type Search = { after?: string };
type Change<S> = { [K in keyof S]?: S[K] | undefined | "" };

/** What a list is asked for after a change of its filters: from its first page on. */
export function narrowed<S extends Search>(search: S, change: Change<S>): S {
  const members = Object.entries({ ...search, ...change });
  const kept = members.filter(([name, value]) => name !== "after" && Boolean(value));
  return Object.fromEntries(kept) as S;
}
