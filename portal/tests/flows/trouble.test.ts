// Failures around a page: a server that stops, missing files, gateways that lag, a refused
// clipboard.

import type { Page, Request } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { settled } from "../support/browser";
import { refuse } from "../support/failing";
import { stage } from "../support/stage";

const house = stage();

/** Chromium's errors for an unreachable server or a missing file. */
const AWAY = [/ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/];

// A failed test must not leave the others without a server.
afterEach(() => house.tollgate.resume());

const dialogButton = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true });

async function openTokens(page: Page): Promise<void> {
  await page.goto("/account/access-tokens");
  await settled(page);
}

async function fillToken(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Token name").fill(name);
}

test("if the server stops under an open form, this is reported and nothing is lost", async () => {
  const { page, faults } = await house.as(house.tollgate.administrator, AWAY);
  await openTokens(page);
  await fillToken(page, "while it was away");
  await house.tollgate.halt();
  await dialogButton(page, "Create token").click();
  await page.getByRole("dialog").getByText("The control plane does not respond.").waitFor();
  expect(await page.getByLabel("Token name").inputValue()).toBe("while it was away");
  await house.tollgate.resume();
  await dialogButton(page, "Create token").click();
  await page.getByRole("dialog", { name: "Your new access token" }).waitFor();
  expect(faults).toEqual([]);
});

test("a page opened while the server is down reports this, and opens later", async () => {
  const expected = [
    ...AWAY,
    /Failed to fetch dynamically imported module/,
    /control plane does not/,
  ];
  const { page, faults } = await house.as(house.tollgate.administrator, expected);
  await settled(page);
  await house.tollgate.halt();
  await page.getByRole("link", { name: /Account/ }).click();
  await page.getByText("The control plane does not respond.").waitFor();
  await house.tollgate.resume();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
  expect(faults).toEqual([]);
});

const GONE = [/status of 404 .*\/assets\//, /Failed to fetch dynamically imported module/];

/** Counts the loads of the document itself. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on("request", (request: Request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  return () => loads;
}

test.each(["js", "css"])("a missing .%s reloads the page, once", async (kind) => {
  const { page, faults } = await house.as(house.tollgate.administrator, [
    ...GONE,
    /Unable to preload CSS/,
  ]);
  const pattern = new RegExp(`/assets/UsersPage-[^/]*\\.${kind}$`);
  await page.goto("/admin");
  await settled(page);
  const loads = countLoads(page);
  // A reloaded page refers to the new files.
  await page.route(pattern, (route) =>
    loads() === 0 ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  await page.getByRole("link", { name: "Users" }).click();
  await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
  expect(loads()).toBe(1);
  expect(faults).toEqual([]);
});

test("a file that stays missing is reported, and the page does not reload endlessly", async () => {
  const { page } = await house.as(house.tollgate.administrator, GONE);
  await page.goto("/admin");
  await settled(page);
  const pattern = /\/assets\/UsersPage-[^/]*\.js$/;
  await page.route(pattern, (route) => route.fulfill({ status: 404, body: "" }));
  const loads = countLoads(page);
  await page.getByRole("link", { name: "Users" }).click();
  await page.getByRole("heading", { level: 1, name: "This page failed" }).waitFor();
  await page.waitForTimeout(500);
  expect(loads()).toBe(1);
});

test("if a gateway lags, the change is saved, reported as not yet in effect, and not saved twice", async () => {
  const { page, faults } = await house.as(house.tollgate.administrator, [/status of 503 /]);
  await openTokens(page);
  let posts = 0;
  await page.route("**/api/v1/access-tokens", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    posts += 1;
    await route.fetch();
    await refuse(route, 503, "feed.behind", "saved; a gateway has not applied it yet");
  });
  await fillToken(page, "behind");
  await dialogButton(page, "Create token").click();
  await page.getByText("Saved, but not in effect yet.").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("rowheader", { name: "behind" }).waitFor();
  expect(posts).toBe(1);
  expect(faults).toEqual([]);
});

test("a double click creates one token", async () => {
  const { page, apiCalls } = await house.as(house.tollgate.administrator);
  await openTokens(page);
  await fillToken(page, "only once");
  await dialogButton(page, "Create token").dblclick();
  await page.getByRole("dialog", { name: "Your new access token" }).waitFor();
  expect(apiCalls.filter((it) => it === "POST /api/v1/access-tokens")).toHaveLength(1);
});

test("if the clipboard is refused, the text can be selected manually", async () => {
  const { page, faults } = await house.as(house.tollgate.administrator);
  await page.addInitScript(() => {
    const refuse = () => Promise.reject(new DOMException("refused", "NotAllowedError"));
    Object.defineProperty(navigator.clipboard, "writeText", { value: refuse });
  });
  await openTokens(page);
  await page.getByRole("button", { name: "Show as command" }).click();
  await page.getByRole("button", { name: "Copy: Shell commands" }).click();
  await page.getByText("Select the text and copy it").first().waitFor();
  expect(faults).toEqual([]);
});

test("“Show as command” contains no secret", async () => {
  const { page } = await house.as(house.tollgate.administrator, [/status of 4\d\d /]);
  await page.goto("/account");
  await settled(page);
  await page.getByLabel("Current password").fill("a secret that is wrong");
  await page.getByLabel("New password").fill("another secret of mine");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.locator("main code").first().waitFor();
  await page.getByRole("button", { name: "Show as command" }).click();
  const lines = await page.getByRole("region", { name: "Shell commands" }).textContent();
  expect(lines).toContain(`"$SECRET"`);
  expect(lines).not.toMatch(/secret/);
});
