// The history of a version as rows, latest first.

import type { LifecycleStep } from "../../api/queries/versions";
import { text } from "../../text/text";

const words = text.publisher.version.history;

/** Whether a revision is served, or an older or newer one that can be deployed again. */
type Offer = "served" | "older" | "newer";

export interface HistoryRow {
  key: string;
  at: string;
  who: string;
  what: string;
  note: string;
  /** The revision that the step deployed. */
  revision?: number;
  /** The revision that was deployed before, if it was another one. */
  before?: number;
  /** Only in the latest row of each revision. */
  offer?: Offer;
}

/** Returns the rows of a history, given oldest first, while `deployed` is the served revision. */
export function historyOf(
  steps: readonly LifecycleStep[],
  deployed: number | undefined,
): HistoryRow[] {
  let before: number | undefined;
  const rows = steps.map((step, index): HistoryRow => {
    const revision = step.revision ?? undefined;
    const row: HistoryRow = {
      key: String(index),
      at: step.at,
      who: step.by_name ?? step.by,
      what: whatOf(step, before),
      note: step.note,
      ...(revision === undefined ? {} : { revision }),
      ...(revision === undefined || before === undefined || before === revision ? {} : { before }),
    };
    before = revision ?? before;
    return row;
  });
  const seen = new Set<number>();
  for (const row of rows.reverse()) {
    if (row.revision === undefined || seen.has(row.revision)) continue;
    seen.add(row.revision);
    row.offer = offerOf(row.revision, deployed);
  }
  return rows;
}

function offerOf(revision: number, deployed: number | undefined): Offer {
  if (revision === deployed) return "served";
  return revision < (deployed ?? 0) ? "older" : "newer";
}

function whatOf({ from, to, revision }: LifecycleStep, before: number | undefined): string {
  const moved = from === to ? [] : [words.moved(text.nouns.states[to])];
  if (revision == null) return moved.join();
  const isBack = before !== undefined && revision < before;
  const deployed = isBack ? words.rolledBack(revision) : words.deployed(revision);
  return [...moved, deployed].join(", ");
}
