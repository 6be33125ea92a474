import type { UsageRow } from "../../api/queries/usage";

const FROM_CACHE: readonly UsageRow["cache"][] = ["hit", "stale", "revalidated"];

/** What a cache saved over a time range. */
export interface CacheSums {
  /** Share of calls that it answered; null if no call could be answered from it. */
  rate: number | null;
  /** Body bytes of the responses from it. */
  bytes: number;
}

/** Sums a report grouped by `cache`; null if no call used a cache. */
export function cacheSums(rows: readonly UsageRow[]): CacheSums | null {
  const used = rows.filter(({ cache, calls }) => cache !== "none" && calls > 0);
  if (used.length === 0) return null;
  const sums = { answered: 0, missed: 0, bytes: 0 };
  for (const { cache, calls, bytes_from_cache } of used) {
    if (FROM_CACHE.includes(cache)) sums.answered += calls;
    if (cache === "miss") sums.missed += calls;
    sums.bytes += bytes_from_cache;
  }
  const all = sums.answered + sums.missed;
  return { rate: all > 0 ? sums.answered / all : null, bytes: sums.bytes };
}

/** Sums calls and their times over the rows with the same key. */
export function merged(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string | null | undefined,
): UsageRow[] {
  const sums = new Map<string | null | undefined, UsageRow>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row));
    const [calls, time] = [sum?.calls ?? 0, sum?.total_us_sum ?? 0];
    const added = { calls: calls + row.calls, total_us_sum: time + row.total_us_sum };
    sums.set(keyOf(row), { ...row, ...added });
  }
  return [...sums.values()];
}
