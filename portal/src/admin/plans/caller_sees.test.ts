import { expect, test } from "vitest";
import { callerSees } from "./caller_sees";

test("an answer lists every limit, and what is left of the least of each unit", () => {
  const seen = callerSees([
    { per: "subscription", amount: 100, window: "5 minutes" },
    { per: "subscription", amount: 1_000, window: "day" },
    { name: "fast", per: "application", amount: 50, window: "second" },
    { per: "subscription", amount: 70, window: "hour", algorithm: { type: "rolling" } },
    { per: "subscription", metric: "bytes_in", amount: 5_000, window: "hour" },
    { per: "subscription", metric: "concurrent", amount: 60 },
    { per: "user", amount: 1, window: "hour", on_exceeding: "observe" },
    { per: "user", amount: 1, window: "hour", if: { environment: ["sandbox"] } },
  ]);
  expect(seen?.policy.split(", ")).toEqual([
    '"subscription-5-minutes";q=100;w=300',
    '"subscription-day";q=1000;w=86400',
    '"fast";q=50;w=1',
    '"subscription-rolling-hour";q=70;w=3600',
    '"subscription-bytes-in-hour";q=5000;qu="content-bytes";w=3600',
    '"subscription-concurrent";q=60;qu="concurrent-requests"',
  ]);
  expect(seen?.left.split(", ")).toEqual([
    '"fast";r=49;t=1',
    '"subscription-bytes-in-hour";r=5000;t=3600',
    '"subscription-concurrent";r=59',
  ]);
});

test.each([
  [{ per: "subscription", algorithm: { type: "gcra", burst: 1 } }, "admit.subscription_burst"],
  [{ per: "api", algorithm: { type: "gcra", burst: 1 } }, "admit.api"],
  [{ per: "address" }, "admit.rule"],
  [{ per: ["api", "address"] }, "admit.rule"],
  [{ per: ["application", "operation"] }, "admit.application"],
] as const)("%j is refused with %s", (limit, code) => {
  const { per, ...rest } = limit;
  const dimensions = typeof per === "string" ? per : [...per];
  const seen = callerSees([{ ...rest, per: dimensions, amount: 1, window: "minute" }]);
  expect(seen?.refusal).toEqual({ code, retryAfterS: 60 });
});

test("an even limit admits the next call after its share of the window", () => {
  const algorithm = { type: "gcra", burst: 9 } as const;
  const seen = callerSees([{ per: "api", amount: 50, window: "minute", algorithm }]);
  expect(seen?.left).toBe('"api-burst-minute";r=8;t=2');
  expect(seen?.refusal.retryAfterS).toBe(2);
});

test("limits that only observe show nothing", () => {
  const observed = { per: "user", amount: 1, window: "hour", on_exceeding: "observe" } as const;
  expect(callerSees([observed])).toBeUndefined();
});
