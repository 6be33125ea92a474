// Changes of credentials: expiry and allowed addresses, rotation with a grace period, and
// revocation with its impact.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type Published, published } from "../support/apis";
import { settled } from "../support/browser";
import { done } from "../support/seed";
import { stage, startKeyManager } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage(() => startKeyManager());
let dora: Person;
let ledger: Published;
let application = "";
const APPLICATION = "/api/v1/applications/{application}" as const;

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  const petra = await tollgate.person("petra", "publisher");
  dora = await tollgate.person("dora", "developer");
  const security = { require: "any", api_key: {}, oauth2: {}, basic: {} };
  const wanted = { name: "Ledger", upstream: backEnd.url, plans: ["unlimited"] };
  ledger = await published(petra.api, { ...wanted, draft: { security } });
  application = (await done(dora.api.POST("/api/v1/applications", { body: { name: "Shop" } }))).id;
  const subscription = { application, version: ledger.version, plan: "unlimited" };
  await done(dora.api.POST("/api/v1/subscriptions", { body: subscription }));
});

const path = () => ({ params: { path: { application } } });

async function call(headers: Record<string, string>): Promise<number> {
  return (await fetch(`${on.tollgate.gateway}${ledger.path}/things`, { headers })).status;
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Returns the secret that a page shows once. */
const shown = async (page: Page, name: string): Promise<string> =>
  (await page.getByRole("region", { name, exact: true }).textContent()) ?? "";

/** Opens the credentials of a kind, and presses a button of one. */
async function press(page: Page, tab: string, what: string): Promise<void> {
  await page.goto(`/applications/${application}/${tab}`);
  await settled(page);
  await page.getByRole("button", { name: what, exact: true }).click();
}

/** Rotates a credential with a grace period of an hour; returns the new secret. */
async function rotate(page: Page, tab: string, name: string, secret: string): Promise<string> {
  await press(page, tab, `Rotate: ${name}`);
  await page.getByRole("button", { name: /Grace period/ }).click();
  await page.getByRole("option", { name: /1 hour/ }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByText("Both work until then").waitFor();
  const made = await shown(page, secret);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("the old secret also works").waitFor();
  return made;
}

/** Revokes a credential, after the dialog has shown the impact. */
async function revoke(page: Page, tab: string, name: string): Promise<void> {
  await press(page, tab, `Revoke: ${name}`);
  const dialog = page.getByRole("dialog");
  const counts = dialog.locator("dl");
  await counts.waitFor();
  expect(await counts.locator("dt").allTextContents()).toEqual([
    "Subscriptions",
    "Credentials",
    "Calls, 24 h",
  ]);
  const [subscriptions, credentials, calls] = await counts.locator("dd").allTextContents();
  expect([subscriptions, credentials]).toEqual(["1", "1"]);
  expect(Number(calls)).toBeGreaterThan(0);
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText("Revoked.").waitFor();
}

test("expiry, allowed addresses and revocation of a key take effect", async () => {
  const keys = `${APPLICATION}/keys` as const;
  const { id, key } = await done(dora.api.POST(keys, { ...path(), body: { name: "till" } }));
  const headers = { apikey: key ?? "" };
  expect(await call(headers)).toBe(200);
  const { page, faults } = await on.as(dora);
  const dialog = page.getByRole("dialog");
  const allow = async (addresses: string) => {
    await press(page, "keys", "Change: till");
    await dialog.getByLabel("Allowed addresses").fill(addresses);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
  };
  await allow("192.0.2.7\n198.51.100.0/24");
  expect(await call(headers)).toBe(403);
  await allow("127.0.0.0/8");
  expect(await call(headers)).toBe(200);

  await press(page, "keys", "Change: till");
  await dialog.getByRole("button", { name: /^Never Expires/ }).click();
  await page.getByRole("option", { name: "In 30 days" }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  const { items } = await done(dora.api.GET(keys, path()));
  const found = items.find((it) => it.id === id);
  const days = (Date.parse(found?.expires_at ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(30, 1);
  expect(found?.allowed?.addresses).toEqual(["127.0.0.0/8"]);

  await revoke(page, "keys", "till");
  expect(await call(headers)).toBe(401);
  expect(faults).toEqual([]);
});

test("both secrets of a client get tokens in the grace period; a revoked one gets none", async () => {
  const clients = `${APPLICATION}/clients` as const;
  const made = await done(dora.api.POST(clients, { ...path(), body: { name: "server" } }));
  const tokenWith = async (secret: string) => {
    const body = new URLSearchParams({ grant_type: "client_credentials" });
    const headers = { authorization: basic(made.id, secret) };
    const { parts } = await done(dora.api.GET("/api/v1/portal"));
    const url = parts.key_manager?.token_url ?? "";
    const answer = await fetch(url, { method: "POST", headers, body });
    return (await answer.json()) as { access_token?: string };
  };
  const old = made.client_secret ?? "";
  const { page, faults } = await on.as(dora);
  const secret = await rotate(page, "clients", "server", "Client secret");
  expect(secret).not.toBe(old);
  let authorization = "";
  for (const one of [old, secret]) {
    const { access_token } = await tokenWith(one);
    authorization = `Bearer ${access_token}`;
    expect(await call({ authorization })).toBe(200);
  }
  await revoke(page, "clients", "server");
  expect(await tokenWith(secret)).toMatchObject({ error: "invalid_client" });
  expect(await call({ authorization })).toBe(401);
  expect(faults).toEqual([]);
});

test("both passwords of a Basic user work in the grace period; a revoked one does not", async () => {
  const users = `${APPLICATION}/basic-users` as const;
  const body = { name: "old till", user_name: "till" };
  const made = await done(dora.api.POST(users, { ...path(), body }));
  const old = made.password ?? "";
  const { user_name } = made;
  expect(user_name).toBe(`${application}.till`);
  const { page, faults } = await on.as(dora);
  const password = await rotate(page, "basic-users", "old till", "Password");
  expect(password).not.toBe(old);
  expect(await call({ authorization: basic(user_name, old) })).toBe(200);
  expect(await call({ authorization: basic(user_name, password) })).toBe(200);
  expect(await call({ authorization: basic(user_name, "another") })).toBe(401);
  await revoke(page, "basic-users", "old till");
  expect(await call({ authorization: basic(user_name, password) })).toBe(401);
  expect(faults).toEqual([]);
});
