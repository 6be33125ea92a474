import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { breakingRules } from "./breaking";

test("each rule of the reference page has a text", () => {
  const page = join(import.meta.dirname, "../../../../docs/reference/breaking.md");
  const rules = [...readFileSync(page, "utf8").matchAll(/^## .*: `(\w+)`$/gm)].map(([, it]) => it);
  expect(Object.keys(breakingRules)).toEqual(rules);
});
