import { expect, test } from "vitest";
import { cacheResultOf } from "./cache_status";

const resultOf = (status: string, ...more: [string, string][]) =>
  cacheResultOf([["Cache-Status", status], ...more]);

test("each form of Cache-Status is one result", () => {
  const rows = [
    ["tollgate; hit; ttl=48", "hit", false],
    ["tollgate; hit; ttl=0", "hit", false],
    ["tollgate; hit; ttl=-5", "stale", false],
    ['tollgate; fwd=stale; detail="upstream failed"', "stale", false],
    ["tollgate; fwd=stale; fwd-status=304", "revalidated", false],
    ["tollgate; fwd=stale; stored", "miss", true],
    ["tollgate; fwd=miss; stored", "miss", true],
    ["tollgate; fwd=miss", "miss", false],
    ["tollgate; fwd=request; stored", "fresh", true],
    ["tollgate; fwd=bypass", "bypass", false],
  ] as const;
  for (const [status, use, isStored] of rows) {
    expect(resultOf(status), status).toMatchObject({ use, isStored });
  }
});

test("only the gateway's own cache counts, with the age of the response", () => {
  expect(resultOf("CDN; hit, tollgate; hit; ttl=9", ["age", "12"])).toEqual({
    use: "hit",
    isStored: false,
    ageS: 12,
    ttlS: 9,
  });
  const quoted = resultOf('CDN; detail="a, tollgate; hit", tollgate; fwd=bypass', ["age", "x"]);
  expect(quoted).toMatchObject({ use: "bypass", ageS: undefined });
  expect(resultOf('CDN; detail="a, tollgate; hit"')).toBeUndefined();
  expect(resultOf("tollgates; hit")).toBeUndefined();
  expect(cacheResultOf([["age", "12"]])).toBeUndefined();
});
