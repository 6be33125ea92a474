// From the catalogue to an answer: 4 clicks, a minute; and what is pasted works too.

import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { Clicks } from "../support/clicks";
import { makePlans } from "../support/seed";
import { pasted } from "../support/shell";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let developer: Person;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  await published(api, { name: "Orders", upstream: backEnd.url, plans: ["bronze", "gold"] });
  developer = await tollgate.person("dora", "developer");
});

test("a first call takes four clicks, and runs when pasted", async () => {
  const { page, faults } = await on.as(developer);
  const clicks = new Clicks();
  await clicks.on(page.getByRole("link", { name: "Orders" }));
  await clicks.on(page.getByRole("button", { name: "Get a key" }));
  await clicks.on(page.getByRole("button", { name: "Get the key" }));
  await clicks.on(page.getByRole("button", { name: "Send" }));
  const answer = page.getByRole("region", { name: "Body of the answer" });
  await answer.waitFor();
  clicks.print("first call");
  expect(await answer.textContent()).toContain("/things");
  expect(clicks.count).toBe(4);
  expect(clicks.seconds).toBeLessThan(60);

  const lines = await page.getByRole("region", { name: "Your first call" }).textContent();
  expect(await pasted(lines ?? "")).toMatch(/^HTTP\/1\.1 200/);
  const key = await page.getByRole("region", { name: "Your API key" }).textContent();
  expect(key).toMatch(/^tg_live_/);

  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Catalogue", exact: true }).first().click();
  await page.getByText("subscribed by Orders caller").waitFor();
  expect(faults).toEqual([]);
});
