// Converts usage rows to the points of a chart: one for each step, with zeros where there are no
// rows.

import type { UsageReport } from "../api/queries/usage";
import { type CsvColumn, csvOf } from "../ui/csv";
import { callsOf } from "./metrics";

/** Totals of one step. */
export interface Step {
  /** Start of the step, Unix seconds. */
  at: number;
  /** Calls that the gateway did not refuse. */
  answered: number;
  /** Calls that the gateway refused. */
  refused: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns the steps of a report in the browser's time zone, oldest first. */
export function stepsOf(report: UsageReport): Step[] {
  const steps = new Map<number, Step>();
  const add = (ms: number, answered: number, refused: number) => {
    const at = ms / 1_000;
    steps.set(at, { at, answered, refused });
  };
  const end = Date.parse(report.to);
  let start = startOfStep(report);
  while (start < end) {
    add(start, 0, 0);
    start = nextStep(start, report.step);
  }
  for (const row of report.rows) {
    const { calls, refused } = callsOf(row);
    if (row.time) add(Date.parse(row.time), calls - refused, refused);
  }
  return [...steps.values()].sort((one, other) => one.at - other.at);
}

/** Returns the start of the first step, Unix milliseconds. */
function startOfStep({ from, step }: UsageReport): number {
  const at = new Date(from);
  if (step === "minute") return at.setSeconds(0, 0);
  return step === "hour" ? at.setMinutes(0, 0, 0) : at.setHours(0, 0, 0, 0);
}

/** Returns the start of the following step. A day may have 23 or 25 hours. */
function nextStep(start: number, step: UsageReport["step"]): number {
  if (step === "minute") return start + MINUTE_MS;
  if (step === "hour") return start + HOUR_MS;
  const at = new Date(start);
  return at.setDate(at.getDate() + 1);
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
