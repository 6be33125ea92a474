import { expect, test } from "vitest";
import { type Limit, NEW_LIMIT, readLimit, writeLimit } from "./limit_fields";

test("limits are written as they were read", () => {
  const limits: Limit[] = [
    { per: "api", amount: 9, window: "minute", algorithm: { type: "gcra", burst: 3 } },
    { per: "api", amount: 10, window: "day", algorithm: { type: "fixed", zone: "Asia/Tokyo" } },
    { per: "api", amount: 11, window: "hour", algorithm: { type: "fixed" } },
    { per: "api", amount: 12, window: "5 minutes", algorithm: { type: "fixed" } },
    {
      per: "api",
      amount: 13,
      window: "month",
      algorithm: { type: "fixed", anchor: "2026-01-31" },
    },
    { per: ["api", "user"], amount: 14, window: "hour", algorithm: { type: "rolling" } },
    { per: "api", metric: "concurrent", amount: 15, if: { environment: ["sandbox"] } },
  ];
  expect(limits.map((limit) => writeLimit(readLimit(limit), "api"))).toEqual(limits);
});

test("a limit without an algorithm counts in calendar windows of UTC", () => {
  const limit: Limit = { per: "operation", amount: 5, window: "week" };
  expect(readLimit(limit)).toEqual({
    ...NEW_LIMIT,
    amount: "5",
    window: "week",
    others: { per: "operation" },
  });
});

test("a time zone is only written for windows of a day and longer", () => {
  const fields = { ...NEW_LIMIT, amount: "5", zone: "Asia/Tokyo" };
  for (const window of ["hour", "5 minutes"]) {
    expect(writeLimit({ ...fields, window }, "api").algorithm).toEqual({ type: "fixed" });
  }
  expect(writeLimit({ ...fields, window: "year" }, "api").algorithm).toEqual({
    type: "fixed",
    zone: "Asia/Tokyo",
  });
});

test("empty numbers become values that the API rejects", () => {
  const limit = writeLimit({ ...NEW_LIMIT, counting: "gcra" }, "operation");
  expect(limit).toMatchObject({ amount: 0, algorithm: { burst: 0 } });
});
