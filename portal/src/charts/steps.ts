// From rows of usage to the steps of a chart: sums of neighbouring rows, zeros where nobody called.

import type { UsageReport, UsageRow } from "../api/queries/usage";
import { type CsvColumn, csvOf } from "../ui/csv";

/** What happened in one step. */
export interface Step {
  /** Its beginning, Unix seconds. */
  at: number;
  /** Calls that the upstream answered. */
  answered: number;
  /** Calls that the gateway refused. */
  refused: number;
}

export interface Sums {
  calls: number;
  answered: number;
  refused: number;
  /** Answers with a status of 500 or more, and refusals with one. */
  failed: number;
  /** Microseconds, of all calls together. */
  meanUs: number;
  slowestUs: number;
}

const isRefused = (row: UsageRow): boolean => Boolean(row.refusal);

/** How long the steps of a report are. */
const REPORTED_SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;

/**
 * The steps of a report that was told apart by time and `refusal`, oldest first: as long as is
 * wanted, and no finer than the report, which may still be that of another range.
 */
export function stepsOf(report: UsageReport, wantedSeconds: number): Step[] {
  const stepSeconds = Math.max(wantedSeconds, REPORTED_SECONDS[report.step ?? "minute"]);
  const stepOf = (at: string) => Math.floor(Date.parse(at) / 1_000 / stepSeconds) * stepSeconds;
  const steps = new Map<number, Step>();
  const last = stepOf(report.to);
  for (let at = stepOf(report.from); at <= last; at += stepSeconds) {
    steps.set(at, { at, answered: 0, refused: 0 });
  }
  for (const row of report.rows) {
    const step = row.time ? steps.get(stepOf(row.time)) : undefined;
    if (!step) continue;
    if (isRefused(row)) step.refused += row.calls;
    else step.answered += row.calls;
  }
  return [...steps.values()];
}

/** The sums of a report that was told apart by `status` and `refusal`, among others. */
export function sumsOf(rows: readonly UsageRow[]): Sums {
  const sums = { calls: 0, answered: 0, refused: 0, failed: 0, meanUs: 0, slowestUs: 0 };
  let totalUs = 0;
  for (const row of rows) {
    sums.calls += row.calls;
    if (isRefused(row)) sums.refused += row.calls;
    else sums.answered += row.calls;
    if ((row.status ?? 0) >= 500) sums.failed += row.calls;
    totalUs += row.total_us_sum;
    sums.slowestUs = Math.max(sums.slowestUs, row.total_us_max);
  }
  sums.meanUs = sums.calls === 0 ? 0 : totalUs / sums.calls;
  return sums;
}

/** The steps as CSV, with times as RFC 3339. */
export function asCsv(steps: readonly Step[]): string {
  const columns: CsvColumn<Step>[] = [
    { title: "time", value: ({ at }) => new Date(at * 1_000).toISOString() },
    { title: "answered", value: ({ answered }) => answered },
    { title: "refused", value: ({ refused }) => refused },
  ];
  return csvOf(columns, steps);
}
