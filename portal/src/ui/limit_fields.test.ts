import { expect, test } from "vitest";
import type { Limit, Owner } from "../text/limit";
import { pointerOf } from "./condition_fields";
import {
  type LimitFields,
  exceedingsOf,
  newLimit,
  possible,
  readLimit,
  writeLimit,
  writeLimits,
} from "./limit_fields";

const fixed = { type: "fixed" } as const;

test("limits are written as they were read", () => {
  const rows: readonly (readonly [Owner, Limit])[] = [
    ["plan", { per: "user", amount: 9, window: "minute", algorithm: { type: "gcra", burst: 3 } }],
    ["plan", { per: ["operation", "address"], amount: 9, window: "hour", algorithm: fixed }],
    ["plan", { per: "subscription", metric: "concurrent", amount: 9 }],
    ["plan", { per: "subscription", amount: 9, window: "hour", algorithm: { type: "rolling" } }],
    [
      "plan",
      {
        name: "big-month",
        per: "subscription",
        metric: "bytes",
        amount: 2 ** 40,
        window: "3 months",
        algorithm: { ...fixed, zone: "Asia/Tokyo", anchor: "2026-01-31" },
        soft: { overage_percent: 10 },
        otherwise: true,
      },
    ],
    [
      "plan",
      {
        per: "address",
        amount: 9,
        window: "5 minutes",
        algorithm: fixed,
        on_exceeding: "observe",
        if: {
          addresses: ["10.0.0.0/8", "192.0.2.1"],
          environment: { not: ["sandbox"] },
          headers: { "x-tier": ["free*"], "x-a/b": { not: ["1"] } },
          query: { trial: ["yes"] },
        },
      },
    ],
    ["version", { per: "api", amount: 10, window: "day", algorithm: fixed }],
    ["version", { per: ["api", "address"], amount: 10, window: "day", algorithm: fixed }],
    [
      "application",
      { per: ["application", "operation"], amount: 1, window: "day", algorithm: fixed },
    ],
    [
      "operation",
      {
        per: "operation",
        metric: "units",
        amount: 1,
        window: "week",
        algorithm: fixed,
        plans: ["bronze"],
      },
    ],
    ["upstream", { amount: 100, window: "second", algorithm: fixed }],
    ["upstream", { metric: "concurrent", amount: 100 }],
  ];
  const limits = rows.map(([, limit]) => limit);
  expect(rows.map(([owner, limit]) => writeLimit(readLimit(limit, owner), owner))).toEqual(limits);
});

test("what has no meaning for the chosen metric, window or algorithm is not written", () => {
  const fields = {
    ...newLimit("plan"),
    amount: "5",
    zone: "Asia/Tokyo",
    exceeding: "soft" as const,
    overage: "10",
    counting: "gcra" as const,
    burst: "3",
  };
  const limit = { per: "subscription", amount: 5, window: "minute" };
  const burst = { ...limit, algorithm: { type: "gcra", burst: 3 } };
  expect(writeLimit(fields, "plan")).toEqual(burst);
  expect(writeLimit({ ...fields, metric: "bytes_in" }, "plan")).toEqual({
    ...limit,
    metric: "bytes_in",
    algorithm: fixed,
    soft: { overage_percent: 10 },
  });
  expect(writeLimit({ ...fields, metric: "concurrent" }, "plan")).toEqual({
    per: "subscription",
    metric: "concurrent",
    amount: 5,
  });
  expect(exceedingsOf(possible(fields))).toEqual(["reject", "observe"]);
});

test("empty numbers become values that the API rejects", () => {
  const fields = { ...newLimit("operation"), counting: "gcra" as const, windowCount: "" };
  expect(writeLimit(fields, "operation")).toMatchObject({
    amount: 0,
    window: " minutes",
    algorithm: { burst: 0 },
  });
});

test("the pointer of a test escapes the name", () => {
  const test = { kind: "header" as const, name: "a/b~", isNegated: false, values: "" };
  expect(pointerOf(test)).toBe("/headers/a~1b~0");
});

test("of two tests of one value none is lost: the limits are not written", () => {
  const tests = [
    { kind: "query" as const, name: "tier", isNegated: false, values: "free" },
    { kind: "header" as const, name: "tier", isNegated: false, values: "free" },
    { kind: "header" as const, name: "tier", isNegated: true, values: "paid" },
  ];
  const limit = { ...newLimit("plan"), amount: "5", applies: "if" as const, conditions: tests };
  const written = (...limits: LimitFields[]) => writeLimits(limits, "plan", "/limits");
  expect(() => written(newLimit("plan"), limit)).toThrow(
    expect.objectContaining({
      faults: [expect.objectContaining({ field: "/limits/1/if/headers/tier" })],
    }),
  );
  expect(written({ ...limit, conditions: tests.slice(0, 2) })).toHaveLength(1);
});
