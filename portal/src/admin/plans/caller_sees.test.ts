import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Limit } from "../../text/limit";
import { callerSees, policyOf } from "./caller_sees";

const REFERENCE = join(import.meta.dirname, "../../../../docs/reference/limits.md");

/** The rows of the table of policies, which a test of the gateway reads, too. */
const policies = [...readFileSync(REFERENCE, "utf8").matchAll(/^\| `({.*})` \| `(".*)` \|$/gm)];

test("policies are those that the reference lists", () => {
  expect(policies.length).toBeGreaterThan(10);
  const written = policies.map(([, limit = ""]) => policyOf(JSON.parse(limit) as Limit));
  expect(written).toEqual(policies.map(([, , policy]) => policy));
});

test("an answer lists every limit, and what is left of the least of each unit", () => {
  const { always } = callerSees([
    { per: "subscription", amount: 100, window: "5 minutes" },
    { per: "subscription", amount: 1_000, window: "day" },
    { name: "fast", per: "application", amount: 50, window: "second" },
    { per: "subscription", amount: 70, window: "hour", algorithm: { type: "rolling" } },
    { per: "subscription", metric: "bytes_in", amount: 5_000, window: "hour" },
    { per: "subscription", metric: "concurrent", amount: 60 },
    { per: "user", amount: 1, window: "hour", on_exceeding: "observe" },
  ]);
  expect(always?.policy.split(", ")).toEqual([
    '"subscription-5-minutes";q=100;w=300',
    '"subscription-day";q=1000;w=86400',
    '"fast";q=50;w=1',
    '"subscription-rolling-hour";q=70;w=3600',
    '"subscription-bytes-in-hour";q=5000;qu="content-bytes";w=3600',
    '"subscription-concurrent";q=60;qu="concurrent-requests"',
  ]);
  expect(always?.left.split(", ")).toEqual([
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
  const { always } = callerSees([{ ...rest, per: dimensions, amount: 1, window: "minute" }]);
  expect(always?.refusal).toEqual({ code, retryAfterS: 60 });
});

test("an even limit admits the next call after its share of the window", () => {
  const algorithm = { type: "gcra", burst: 9 } as const;
  const { always } = callerSees([{ per: "api", amount: 50, window: "minute", algorithm }]);
  expect(always?.left).toBe('"api-burst-minute";r=8;t=2');
  expect(always?.refusal.retryAfterS).toBe(2);
});

test("limits with a condition are listed with it, and those that only observe are not", () => {
  const limit = { per: "user", amount: 1, window: "hour" } as const;
  const tests = { environment: ["sandbox"], headers: { "x-tier": { not: ["free*"] } } };
  const seen = callerSees([
    { ...limit, on_exceeding: "observe" },
    { ...limit, on_exceeding: "observe", if: tests },
    { ...limit, if: tests },
    { ...limit, name: "rest", otherwise: true },
  ]);
  expect(seen).toEqual({
    always: undefined,
    sometimes: [
      ["If called in sandbox, without header x-tier “free*”", '"user-hour";q=1;w=3600'],
      ["If no condition matches", '"rest";q=1;w=3600'],
    ],
  });
});
