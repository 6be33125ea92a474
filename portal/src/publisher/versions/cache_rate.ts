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
