// Converts usage rows to the steps of a chart: sums of adjacent rows, zeros where there are none.

import type { UsageReport, UsageRow } from "../api/queries/usage";
import { type CsvColumn, csvOf } from "../ui/csv";

/** Totals of one step. */
export interface Step {
  /** Start of the step, Unix seconds. */
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
  /** Responses and refusals with a status of 500 or more. */
  failed: number;
  /** Mean over all calls, in microseconds. */
  meanUs: number;
  slowestUs: number;
}

const isRefused = (row: UsageRow): boolean => Boolean(row.refusal);

/** Length of a report's steps. */
const REPORTED_SECONDS = {
  auto: 60,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
} as const;

/**
 * Returns the steps of a report grouped by time and `refusal`, oldest first. They are as long as
 * requested, but not finer than the report, which may still be that of another range.
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

/** Returns the sums of a report grouped by `status` and `refusal`, among others. */
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

/** Formats steps as CSV, with times as RFC 3339. */
export function asCsv(steps: readonly Step[]): string {
  const columns: CsvColumn<Step>[] = [
    { title: "time", value: ({ at }) => new Date(at * 1_000).toISOString() },
    { title: "answered", value: ({ answered }) => answered },
    { title: "refused", value: ({ refused }) => refused },
  ];
  return csvOf(columns, steps);
}
