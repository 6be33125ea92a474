// A key is rotated: both work during the grace period, and each shows its last use.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type Published, published } from "../support/apis";
import { done, makePlans } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let developer: Person;
let things: Published;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  things = await published(api, { name: "Orders", upstream: backEnd.url, plans: ["gold"] });
  developer = await tollgate.person("dora", "developer");
});

async function callWith(key: string): Promise<number> {
  const url = `${on.tollgate.gateway}${things.path}/things`;
  return (await fetch(url, { headers: { apikey: key } })).status;
}

/** Rotates the key; returns the new one, which is shown once. */
async function rotate(page: Page, grace: RegExp): Promise<string> {
  await page.getByRole("button", { name: "Rotate: till" }).first().click();
  await page.getByRole("button", { name: /Grace period/ }).click();
  await page.getByRole("option", { name: grace }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  const secret = page.getByRole("region", { name: "API key" });
  return (await secret.textContent()) ?? "";
}

test("both keys work during the grace period; without one the old key is refused at once", async () => {
  const { api } = developer;
  const application = await done(api.POST("/api/v1/applications", { body: { name: "Shop" } }));
  const subscription = { application: application.id, version: things.version, plan: "gold" };
  await done(api.POST("/api/v1/subscriptions", { body: subscription }));
  const params = { path: { application: application.id } };
  const body = { name: "till" };
  const path = "/api/v1/applications/{application}/keys";
  const { key: first = "" } = await done(api.POST(path, { params, body }));

  const { page, faults } = await on.as(developer, [/status of 409 .*\/rotation$/]);
  await page.goto(`/applications/${application.id}/keys`);
  const second = await rotate(page, /1 hour/);
  await page.getByText("Both work until then").waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  expect(await callWith(first ?? "")).toBe(200);
  expect(await callWith(second)).toBe(200);
  expect(await page.getByText("expires soon").count()).toBe(1);
  expect(await page.getByText("active", { exact: true }).count()).toBe(1);

  const third = await rotate(page, /^None/);
  await page.getByText("The old one has expired.").waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  expect(await callWith(second)).toBe(401);
  expect(await callWith(third)).toBe(200);

  // The same key is rotated again, from a page that does not know about the rotation.
  const fourth = await rotate(page, /1 hour/);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("button", { name: "Rotate: till" }).nth(1).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByText("was rotated already").waitFor();
  await page.getByRole("button", { name: /Grace period/ }).click();
  await page.getByRole("option", { name: /^None/ }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByText("This key was already rotated").waitFor();
  await page.getByRole("button", { name: "Close" }).last().click();
  expect(await callWith(third)).toBe(401);
  expect(await callWith(fourth)).toBe(200);
  expect(faults).toEqual([]);
});
