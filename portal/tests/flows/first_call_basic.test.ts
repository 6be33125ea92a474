// The whole flow of an HTTP Basic user: created with the first call, which the page sends and which
// runs when pasted; used in try-it; and listed with its last use.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type Published, published } from "../support/apis";
import { settled } from "../support/browser";
import { Clicks } from "../support/clicks";
import { makePlans } from "../support/seed";
import { pasted } from "../support/shell";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let developer: Person;
let stock: Published;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  await makePlans(tollgate.administrator);
  const { api } = await tollgate.person("petra", "publisher");
  const draft = { security: { basic: {} } };
  const wanted = { name: "Stock", upstream: backEnd.url, plans: ["gold"], draft };
  stock = await published(api, wanted);
  developer = await tollgate.person("dora", "developer");
});

const region = async (page: Page, name: string): Promise<string> =>
  (await page.getByRole("region", { name, exact: true }).textContent()) ?? "";

async function callAs(user: string, password: string): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const url = `${on.tollgate.gateway}${stock.path}/things`;
  return (await fetch(url, { headers: { authorization } })).status;
}

test("a Basic user is created, used by the page, by a pasted command and in try-it, and listed", async () => {
  const { page, faults } = await on.as(developer);
  const clicks = new Clicks();
  await clicks.on(page.getByRole("link", { name: "Stock" }));
  await clicks.on(page.getByRole("button", { name: "Get access" }));
  await clicks.on(page.getByRole("button", { name: "Create user" }));
  await clicks.on(page.getByRole("button", { name: "Send" }));
  await page.getByRole("region", { name: "Response body" }).waitFor();
  expect(await region(page, "Response body")).toContain("/things");
  expect(clicks.count).toBe(4);

  expect(await pasted(await region(page, "Your first call"))).toMatch(/^HTTP\/1\.1 200/);
  const user = await region(page, "User name");
  expect(await callAs(user, await region(page, "Password"))).toBe(200);
  expect(await callAs(user, "another password")).toBe(401);
  await clicks.on(page.getByRole("button", { name: "Done" }));

  await page.goto(`/apis/${stock.version}/reference/get-things`);
  await settled(page);
  await clicks.on(page.getByRole("button", { name: "Send", exact: true }));
  await page.getByText("200 OK", { exact: true }).waitFor();

  await page.goto("/applications");
  await clicks.on(page.getByRole("link", { name: "Stock caller" }));
  await clicks.on(page.getByRole("link", { name: "Basic users" }));
  await page.getByRole("row", { name: user }).waitFor();
  clicks.print("a user of HTTP Basic, the whole way");
  expect(clicks.seconds).toBeLessThan(60);
  expect(faults).toEqual([]);
});
