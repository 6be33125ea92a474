// What is left of limits: bars of an application's limits.

import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { type Caller, caller, subscribe } from "../support/caller";
import { done } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let dora: Person;
let shop: Caller;
let version = "";

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  const petra = await tollgate.person("petra", "publisher");
  dora = await tollgate.person("dora", "developer");
  const daily = (amount: number, per: "subscription" | "user" | "api") => ({
    per,
    amount,
    window: "day" as const,
  });
  const body = { name: "five", limits: [daily(5, "subscription"), daily(9, "user")] };
  await done(tollgate.administrator.api.POST("/api/v1/plans", { body }));
  const draft = { limits: [daily(100, "api")] };
  const wanted = { name: "Orders", upstream: backEnd.url, plans: ["five"], draft };
  const made = await published(petra.api, wanted);
  version = made.version;
  shop = await caller(tollgate, dora.api, "Shop");
  await subscribe(dora.api, shop.application, version, "five");
  for (let call = 0; call < 4; call += 1) {
    await (await shop.call(`${made.path}/things`)).arrayBuffer();
  }
});

test("an application's page has a bar for each limit, with what is left and when it resets", async () => {
  const { page, faults } = await on.as(dora, [], { timezoneId: "Asia/Tokyo" });
  await page.goto(`/applications/${shop.application}`);
  await page.getByRole("heading", { name: "What is left" }).waitFor();
  await page.getByRole("heading", { name: "Orders 1.0 · five" }).waitFor();
  const bar = page.getByRole("meter", { name: "At most 5 requests a day" });
  expect(await bar.getAttribute("aria-valuetext")).toBe("4 of 5 used");
  // Midnight in UTC is nine o'clock there.
  await page.getByText(/^1 left · resets in \d+ (hours|minutes), .+ 09:00:00$/).waitFor();
  await page.getByText("Each of them is counted apart").waitFor();
  expect(faults).toEqual([]);
});

test("an application without limits says so", async () => {
  const empty = await caller(on.tollgate, dora.api, "Idle");
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${empty.application}`);
  await page.getByText("No limits apply.").waitFor();
  expect(faults).toEqual([]);
});
