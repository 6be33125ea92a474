// Calls of each application, from the rows of a usage report.

import type { UsageRow } from "../../api/queries/usage";

export interface Calls {
  calls: number;
  /** Calls refused by the gateway. */
  refused: number;
}

export const NO_CALLS: Calls = { calls: 0, refused: 0 };

/** Sums a report grouped by `application` and `refusal`, by application id. */
export function callsByApplication(rows: readonly UsageRow[]): ReadonlyMap<string, Calls> {
  const sums = new Map<string, Calls>();
  for (const { application, calls, refusal } of rows) {
    if (!application) continue;
    const before = sums.get(application.id) ?? NO_CALLS;
    const refused = before.refused + (refusal ? calls : 0);
    sums.set(application.id, { calls: before.calls + calls, refused });
  }
  return sums;
}
