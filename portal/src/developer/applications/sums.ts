// Sums of the rows of a usage report.

import type { UsageRow } from "../../api/queries/usage";

export interface Sums {
  calls: number;
  /** By the gateway. */
  refused: number;
  /** Answered with 500 or above, and not refused: the API's own failures. */
  failed: number;
  /** Microseconds of all calls together. */
  totalUs: number;
}

export const NO_CALLS: Sums = { calls: 0, refused: 0, failed: 0, totalUs: 0 };

/** The sums of rows that have the same key. */
export function sumsOf(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string,
): ReadonlyMap<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const row of rows) {
    const before = sums.get(keyOf(row)) ?? NO_CALLS;
    sums.set(keyOf(row), {
      calls: before.calls + row.calls,
      refused: before.refused + (row.refusal ? row.calls : 0),
      failed: before.failed + (!row.refusal && (row.status ?? 0) >= 500 ? row.calls : 0),
      totalUs: before.totalUs + row.total_us_sum,
    });
  }
  return sums;
}

/** The sums of all rows. */
export const sumOf = (rows: readonly UsageRow[]): Sums =>
  sumsOf(rows, () => "").get("") ?? NO_CALLS;
