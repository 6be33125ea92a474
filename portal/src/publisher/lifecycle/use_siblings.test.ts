import { expect, test } from "vitest";
import type { VersionOverview } from "../../api/queries/overview";
import type { State } from "../../api/queries/versions";
import { newestAfter } from "./use_siblings";

/** Versions with these states, the newest first. */
const versions = (states: Record<string, State>) =>
  Object.entries(states).map(([version, state]) => ({ version, state }) as VersionOverview);

test("the successor that is proposed is the newest version that can be called", () => {
  const all = versions({
    "5.0": "created",
    "4.0": "published",
    "3.0": "prototyped",
    "2.0": "published",
    "1.0": "published",
  });
  expect(newestAfter(all, "2.0")?.version).toBe("4.0");
  expect(newestAfter(all, "1.0")?.version).toBe("4.0");
});

test("an older version, or one that cannot be called, is not proposed", () => {
  const all = versions({ "3.0": "blocked", "2.0": "published", "1.0": "published" });
  expect(newestAfter(all, "2.0")).toBeUndefined();
  expect(newestAfter(all, "9.0")).toBeUndefined();
});
