import { describe, expect, it } from "vitest";
import type { UsageReport, UsageRow } from "../api/queries/usage";
import { comparedOf, metricOf, numbersOf, timesOf } from "./metrics";
import { noCalls } from "./no_calls";

const total: UsageRow = {
  ...noCalls,
  calls: 200,
  metrics: {
    refused: 50,
    error_rate: 0.015,
    avg: 9_000,
    max: 1_200_000,
    p50: 7_000,
    p95: 40_000,
    p99: null,
  },
};

const report: UsageReport = {
  from: "2026-11-24T10:00:00Z",
  to: "2026-11-24T11:00:00Z",
  source: "version",
  complete_until: "2026-11-24T10:59:58Z",
  group_by: [],
  rows: [],
  others: [],
  losses: [],
};

const { from, to, rows, others } = report;
const earlier = { ...noCalls, calls: 180, metrics: { error_rate: 0.004, p95: 38_000 } };
const compared = { from, to, rows, others, total: earlier };

/** Returns labels and texts of figures. */
const read = (figures: ReturnType<typeof timesOf>) =>
  figures.map(({ value, beside }) => [value, beside]);

describe("figures of a report", () => {
  it("are numbers of calls, with the error rate against that of a week earlier", () => {
    expect(read(numbersOf({ ...report, total, compared }))).toEqual([
      ["150", undefined],
      ["50", "25%"],
      ["1.5%", "0.4% a week earlier"],
    ]);
  });

  it("are times, with a dash for those that are not known", () => {
    expect(read(timesOf({ ...report, total, compared }))).toEqual([
      ["7.0 ms", "mean 9.0 ms"],
      ["40 ms", "38 ms a week earlier"],
      ["–", "slowest 1.2 s"],
    ]);
  });

  it("are single metrics against a week earlier", () => {
    const figures = (["calls", "p99"] as const).map((metric) =>
      comparedOf({ ...report, total, compared }, metric),
    );
    expect(read(figures)).toEqual([
      ["200", "180 a week earlier"],
      ["–", "– a week earlier"],
    ]);
  });

  it("of no calls are zeros and dashes", () => {
    expect(read(numbersOf(report))).toEqual([
      ["0", undefined],
      ["0", undefined],
      ["–", undefined],
    ]);
    expect(read(timesOf(report)).flat()).toEqual(["–", undefined, "–", undefined, "–", undefined]);
    expect(metricOf(undefined, "calls")).toBe("0");
  });
});
