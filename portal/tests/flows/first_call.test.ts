// From the catalogue to a response: 4 clicks, a minute; the pasted command works too.

import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { Clicks, WAYS } from "../support/clicks";
import { makePlans } from "../support/seed";
import { pasted } from "../support/shell";
import { stage } from "../support/stage";

const on = stage();

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  await published(api, { name: "Orders", upstream: backEnd.url, plans: ["bronze", "gold"] });
});

test.each(WAYS)("a first call takes four clicks, and runs when pasted: $name", async (way) => {
  const { tollgate } = on;
  const developer = await tollgate.person(`dora-${WAYS.indexOf(way)}`, "developer");
  const { page, faults } = await on.as(developer, [], way.options);
  const clicks = new Clicks(way);
  await clicks.on(page.getByRole("link", { name: "Orders" }));
  await clicks.on(page.getByRole("button", { name: "Get a key" }));
  await clicks.on(page.getByRole("button", { name: "Create key" }));
  await clicks.on(page.getByRole("button", { name: "Send" }));
  const answer = page.getByRole("region", { name: "Response body" });
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
  await page.goto("/");
  await page.getByText("subscribed by Orders caller").waitFor();
  expect(faults).toEqual([]);
});
