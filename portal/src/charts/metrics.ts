// Metrics of usage as text.

import type { UsageMetric, UsageReport, UsageRow } from "../api/queries/usage";
import { bytes, count, duration, share } from "../text/format";
import { text } from "../text/text";

const words = text.charts;
/** Shown in place of a metric without calls. */
const NONE = "–";

const FORMATS: Record<UsageMetric, (value: number) => string> = {
  calls: count,
  refused: count,
  error_rate: share,
  bytes_out: bytes,
  avg: duration,
  max: duration,
  p50: duration,
  p95: duration,
  p99: duration,
  upstream_p95: duration,
  cache_rate: share,
  bytes_from_cache: bytes,
};

type Metrics = Pick<UsageRow, "calls" | "metrics">;

/** Formats a metric of a row; a dash if there were no calls to compute it from. */
export function metricOf(row: Metrics | null | undefined, metric: UsageMetric): string {
  const value = metric === "calls" ? callsOf(row).calls : row?.metrics?.[metric];
  return value == null ? NONE : FORMATS[metric](value);
}

/** A label, its value, and a smaller text beside it. */
interface Figure {
  label: string;
  value: string;
  beside?: string | undefined;
}

/** The metrics of {@link numbersOf} and {@link timesOf}. */
export const FIGURES = [
  "refused",
  "error_rate",
  "avg",
  "max",
  "p50",
  "p95",
  "p99",
  "cache_rate",
] as const;

/** Returns the numbers of all calls and of refused ones of a row; zeros without a row. */
export function callsOf(row: Metrics | null | undefined) {
  return { calls: row?.calls ?? 0, refused: row?.metrics?.["refused"] ?? 0 };
}

/** Returns the numbers of answered, refused and failed calls of a report. */
export function numbersOf(report: UsageReport): Figure[] {
  const { calls, refused } = callsOf(report.total);
  const shareOfCalls = calls > 0 ? share(refused / calls) : undefined;
  return [
    { label: words.answered, value: count(calls - refused) },
    { label: words.refused, value: count(refused), beside: shareOfCalls },
    comparedOf(report, "error_rate"),
  ];
}

/** Returns a metric of all calls of a report, with that of the compared range beside it. */
export function comparedOf({ total, compared }: UsageReport, metric: UsageMetric): Figure {
  const earlier = compared?.total;
  const beside = earlier ? words.aWeekEarlier(metricOf(earlier, metric)) : undefined;
  return { label: words.metrics[metric], value: metricOf(total, metric), beside };
}

/** Returns the times that calls of a report took. */
export function timesOf(report: UsageReport): Figure[] {
  const { total } = report;
  return [
    {
      label: words.metrics.p50,
      value: metricOf(total, "p50"),
      beside: total ? words.mean(metricOf(total, "avg")) : undefined,
    },
    comparedOf(report, "p95"),
    {
      label: words.metrics.p99,
      value: metricOf(total, "p99"),
      beside: total ? words.slowest(metricOf(total, "max")) : undefined,
    },
  ];
}
