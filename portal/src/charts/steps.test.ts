import { describe, expect, it } from "vitest";
import type { UsageRow } from "../api/queries/usage";
import { ranges } from "./ranges";
import { noCalls } from "./no_calls";
import { asCsv, stepsOf, sumsOf } from "./steps";

function row(part: Partial<UsageRow>): UsageRow {
  return { ...noCalls, calls: 1, ...part };
}

const report = {
  from: "2026-11-24T10:00:00Z",
  to: "2026-11-24T10:10:00Z",
  source: "outcome",
  complete_until: "2026-11-24T10:10:00Z",
  group_by: [],
  step: "minute" as const,
  others: [],
  losses: [],
  rows: [
    row({ time: "2026-11-24T10:01:00Z", calls: 3 }),
    row({ time: "2026-11-24T10:04:00Z", calls: 2, refusal: "admit.subscription" }),
    row({ time: "2026-11-24T10:09:00Z", calls: 5 }),
    row({ calls: 100 }),
  ],
};

describe("steps of a chart", () => {
  it("sum minutes, with zeros if there were no calls", () => {
    const steps = stepsOf(report, 300);
    const numbers = steps.map(({ answered, refused }) => [answered, refused]);
    expect(numbers).toEqual([
      [3, 2],
      [5, 0],
      [0, 0],
    ]);
  });

  it("are no finer than the report", () => {
    const days = { ...report, from: "2026-11-22T10:10:00Z", step: "day" as const };
    expect(stepsOf(days, 60).map(({ answered }) => answered)).toEqual([0, 0, 8]);
  });

  it("are 1,500 at most in every range", () => {
    for (const { seconds, stepSeconds } of Object.values(ranges)) {
      expect(seconds / stepSeconds).toBeLessThanOrEqual(1_500);
    }
  });

  it("become CSV with RFC 3339 times", () => {
    const lines = asCsv(stepsOf(report, 300)).split("\r\n");
    expect(lines.slice(0, 2)).toEqual(["time,answered,refused", "2026-11-24T10:00:00.000Z,3,2"]);
  });
});

describe("sums", () => {
  it("distinguish refused, failed and answered calls", () => {
    const sums = sumsOf([
      row({ calls: 6, status: 200, total_us_sum: 600, total_us_max: 300 }),
      row({ calls: 3, status: 429, refusal: "admit.subscription" }),
      row({
        calls: 1,
        status: 502,
        refusal: "upstream.connect",
        total_us_sum: 400,
        total_us_max: 400,
      }),
    ]);
    expect(sums).toEqual({
      calls: 10,
      answered: 6,
      refused: 4,
      failed: 1,
      meanUs: 100,
      slowestUs: 400,
    });
  });

  it("of nothing are nothing", () => {
    expect(sumsOf([]).meanUs).toBe(0);
  });
});
