import { expect, test } from "vitest";
import type { LifecycleStep } from "../../api/queries/versions";
import { historyOf } from "./history_rows";

const step = (rest: Partial<LifecycleStep>): LifecycleStep => ({
  from: "published",
  to: "published",
  by: "usr_1",
  note: "",
  at: "2026-11-26T10:00:00Z",
  ...rest,
});

test("deployments and roll-backs name their revision and the one before", () => {
  const rows = historyOf(
    [
      step({ from: "created", revision: 1 }),
      step({ revision: 2, by_name: "petra", note: "faster" }),
      step({ to: "blocked" }),
      step({ from: "blocked" }),
      step({ revision: 1 }),
      step({ revision: 3 }),
    ],
    3,
  );
  expect(rows.map(({ what, revision, before, offer }) => [what, revision, before, offer])).toEqual([
    ["deployed revision 3", 3, 1, "served"],
    ["rolled back to revision 1", 1, 2, "older"],
    ["became published", undefined, undefined, undefined],
    ["became blocked", undefined, undefined, undefined],
    ["deployed revision 2", 2, 1, "older"],
    ["became published, deployed revision 1", 1, undefined, undefined],
  ]);
  expect(rows[4]).toMatchObject({ who: "petra", note: "faster" });
});

test("the same revision deployed again has no difference to show", () => {
  const [latest] = historyOf([step({ revision: 1 }), step({ revision: 1 })], 1);
  expect(latest).not.toHaveProperty("before");
});
