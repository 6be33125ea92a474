// Calls as they happen: of an application, an API and all, with pause, until the role is gone.

import { beforeAll, expect, test } from "vitest";
import { type Published, published } from "../support/apis";
import { type Caller, caller, subscribe } from "../support/caller";
import { done, makePlans } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let petra: Person;
let dora: Person;
let shop: Caller;
let things: Published;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  petra = await tollgate.person("petra", "publisher");
  dora = await tollgate.person("dora", "developer");
  things = await published(petra.api, { name: "Orders", upstream: backEnd.url, plans: ["gold"] });
  shop = await caller(tollgate, dora.api, "Shop");
  await subscribe(dora.api, shop.application, things.version, "gold");
});

const callThings = async () => (await shop.call(`${things.path}/things`)).arrayBuffer();

test("calls appear while an application is watched, and none while it is paused", async () => {
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${shop.application}/usage`);
  await page.getByText("No calls in the last 24 hours.").waitFor();
  await page.getByRole("button", { name: "Watch live" }).click();
  await page.getByText("Waiting for calls.").waitFor();
  const rows = page.getByRole("table", { name: "Latest calls" }).getByRole("row");
  const row = rows.filter({ hasText: "Orders 1.0" });
  // The stream may begin after the first of them.
  await expect
    .poll(async () => {
      await callThings();
      return row.count();
    })
    .toBeGreaterThan(0);
  await page.getByRole("button", { name: "Pause" }).click();
  const seen = await row.count();
  await callThings();
  await page.getByRole("button", { name: "Watch live" }).waitFor();
  expect(await row.count()).toBe(seen);
  await row.first().getByRole("link").click();
  await page.getByRole("list", { name: "Steps of the gateway" }).waitFor();
  expect(faults).toEqual([]);
});

test("a publisher watches an API, and all of them, until the role is taken away", async () => {
  const { page, faults } = await on.as(petra);
  for (const [address, title] of [
    [`/publish/apis/${things.api}/usage`, "Latest calls"],
    ["/publish", "Calls as they happen"],
  ] as const) {
    await page.goto(address);
    await page.getByRole("button", { name: "Watch live" }).click();
    const row = page.getByRole("table", { name: title }).getByRole("row", { name: /Shop 200/ });
    await expect
      .poll(async () => {
        await callThings();
        return row.count();
      })
      .toBeGreaterThan(1);
  }
  expect(faults).toEqual([]);
  const { api } = on.tollgate.administrator;
  const query = { q: petra.name };
  const [user] = (await done(api.GET("/api/v1/users", { params: { query } }))).items;
  const path = { user: user?.id ?? "" };
  const roles = { roles: ["developer" as const] };
  await done(api.PATCH("/api/v1/users/{user}", { params: { path }, body: roles }));
  await page.getByText(/^Your roles changed/).waitFor();
  await page.getByRole("button", { name: "Watch live" }).waitFor();
});
