import { expect, test } from "vitest";
import type { UsageRow } from "../../api/queries/usage";
import { noCalls } from "../../charts/no_calls";
import { cacheSums, merged } from "./cache_rate";

type Uses = Partial<Record<NonNullable<UsageRow["cache"]>, number>>;

/** The rows of a report grouped by `cache`, with ten bytes from the cache each. */
const rowsOf = (uses: Uses): UsageRow[] =>
  (Object.entries(uses) as [NonNullable<UsageRow["cache"]>, number][]).map(([cache, calls]) => ({
    ...noCalls,
    cache,
    calls,
    bytes_from_cache: ["hit", "stale", "revalidated"].includes(cache) ? 10 : 0,
  }));

test.each<[Uses, ReturnType<typeof cacheSums>]>([
  [{}, null],
  [{ none: 7 }, null],
  [{ none: 7, hit: 0 }, null],
  [{ bypass: 2 }, { rate: null, bytes: 0 }],
  [{ miss: 3 }, { rate: 0, bytes: 0 }],
  [
    { none: 9, miss: 2, hit: 3, stale: 2, revalidated: 1, bypass: 5 },
    { rate: 0.75, bytes: 30 },
  ],
])("%j", (uses, sums) => {
  expect(cacheSums(rowsOf(uses))).toEqual(sums);
});

test("rows with the same key are one", () => {
  const rows = [...rowsOf({ hit: 3, miss: 2 }), ...rowsOf({ hit: 4 })];
  const sums = merged(rows, ({ cache }) => cache).map(({ cache, calls }) => [cache, calls]);
  expect(sums).toEqual([
    ["hit", 7],
    ["miss", 2],
  ]);
});
