import { afterEach, describe, expect, it } from "vitest";
import type { UsageReport, UsageRow } from "../api/queries/usage";
import { noCalls } from "./no_calls";
import { asCsv, stepsOf } from "./steps";

const row = (time: string, calls: number, refused = 0): UsageRow => ({
  ...noCalls,
  time,
  calls,
  metrics: { refused },
});

const report: UsageReport = {
  from: "2026-11-24T10:00:00Z",
  to: "2026-11-24T10:03:00Z",
  source: "version",
  complete_until: "2026-11-24T10:02:07Z",
  group_by: [],
  step: "minute",
  others: [],
  losses: [],
  rows: [row("2026-11-24T10:00:00Z", 5, 2), row("2026-11-24T10:02:00Z", 5)],
};

const ZONE = process.env["TZ"];
afterEach(() => {
  if (ZONE === undefined) delete process.env["TZ"];
  else process.env["TZ"] = ZONE;
});

describe("steps of a chart", () => {
  it("have zeros if there were no calls", () => {
    const numbers = stepsOf(report).map(({ answered, refused }) => [answered, refused]);
    expect(numbers).toEqual([
      [3, 2],
      [0, 0],
      [5, 0],
    ]);
  });

  it("begin at full hours of the time zone", () => {
    process.env["TZ"] = "Asia/Kolkata";
    const from = "2026-11-24T10:10:00Z";
    const rows = [row("2026-11-24T10:30:00Z", 7)];
    const steps = stepsOf({ ...report, from, to: "2026-11-24T11:10:00Z", step: "hour", rows });
    expect(steps.map(({ at }) => new Date(at * 1_000).toISOString().slice(11, 16))).toEqual([
      "09:30",
      "10:30",
    ]);
    expect(steps[1]?.answered).toBe(7);
  });

  it("are days of the time zone, also when the clock changes", () => {
    process.env["TZ"] = "Europe/Berlin";
    const from = "2026-10-24T10:00:00Z";
    const rows = [row("2026-10-24T22:00:00Z", 3), row("2026-10-25T23:00:00Z", 4)];
    const steps = stepsOf({ ...report, from, to: "2026-10-26T10:00:00Z", step: "day", rows });
    expect(steps.map(({ answered }) => answered)).toEqual([0, 3, 4]);
  });

  it("become CSV with RFC 3339 times", () => {
    const lines = asCsv(stepsOf(report)).split("\r\n");
    expect(lines.slice(0, 2)).toEqual(["time,answered,refused", "2026-11-24T10:00:00.000Z,3,2"]);
  });
});
