// The first call with an OAuth2 client: both the page and the pasted command get the token.

import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { Clicks } from "../support/clicks";
import { makePlans } from "../support/seed";
import { pasted } from "../support/shell";
import { stage, startKeyManager } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage(() => startKeyManager());
let developer: Person;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  const draft = {
    security: {
      require: "any",
      oauth2: {},
      scopes: { "things:read": { text: "See things", granted: "freely" } },
    },
    operations: [{ method: "GET", path: "/things", scopes: ["things:read"] }],
  };
  await published(api, { name: "Ledger", upstream: backEnd.url, plans: ["gold"], draft });
  developer = await tollgate.person("dora", "developer");
});

test("a first call with an OAuth2 client takes four clicks, and runs when pasted", async () => {
  const { page, faults } = await on.as(developer);
  const clicks = new Clicks();
  await clicks.on(page.getByRole("link", { name: "Ledger" }));
  await clicks.on(page.getByRole("button", { name: "Get access" }));
  await clicks.on(page.getByRole("button", { name: "Create client" }));
  await clicks.on(page.getByRole("button", { name: "Send" }));
  const answer = page.getByRole("region", { name: "Response body" });
  await answer.waitFor();
  clicks.print("first call with an OAuth2 client");
  expect(await answer.textContent()).toContain("/things");
  expect(clicks.count).toBe(4);

  const lines = await page.getByRole("region", { name: "Your first call" }).textContent();
  expect(await pasted(lines ?? "")).toMatch(/^HTTP\/1\.1 200/);
  expect(faults).toEqual([]);
});
