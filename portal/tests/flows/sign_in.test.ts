// Sign-in, with the forced change of a one-time password, and a session that ends while a page is
// open.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { fillSignIn, settled } from "../support/browser";
import { stage } from "../support/stage";
import { PASSWORD } from "../support/tollgate";

const house = stage();

const heading = (page: Page) => page.locator("h1").textContent();

test("a one-time password is changed before anything else", async () => {
  const oneTime = await house.tollgate.newcomer("nina", "developer");
  const { page, faults } = await house.window({}, [/status of 4(00|22) /]);
  await page.goto("/account/access-tokens");
  await fillSignIn(page, { name: "nina", password: oneTime });
  await page.waitForURL("**/sign-in/password");
  await page.getByLabel("New password").waitFor();
  // It was entered just before.
  expect(await page.getByLabel("One-time password").count()).toBe(0);
  await page.getByLabel("New password").fill("short");
  await page.getByText("Show the password").click();
  expect(await page.getByLabel("New password").getAttribute("type")).toBe("text");
  await page.getByRole("button", { name: "Change and continue" }).click();
  const short = page.getByLabel("New password");
  await expect.poll(() => short.getAttribute("aria-invalid")).toBe("true");
  // No address bypasses it.
  await page.goto("/account");
  await page.waitForURL("**/sign-in/password");

  const change = async (next: string) => {
    await page.getByLabel("One-time password").fill(oneTime);
    await page.getByLabel("New password").fill(next);
    await page.getByRole("button", { name: "Change and continue" }).click();
  };
  await change("short");
  const field = page.getByLabel("New password");
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  // What the page loads must have arrived: signing out would have it refused.
  const catalogue = page.waitForResponse((response) => response.url().includes("/catalogue?"));
  await change(PASSWORD);
  await page.waitForURL((url) => url.pathname === "/");
  await catalogue;

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goBack();
  await page.waitForURL("**/sign-in?**");
  await fillSignIn(page, { name: "nina", password: PASSWORD });
  await page.waitForURL((url) => url.pathname === "/");
  expect(faults).toEqual([]);
});

test("a wrong password is reported, and the input is kept", async () => {
  const { page, faults } = await house.window({}, [/status of 401 /]);
  await page.goto("/sign-in");
  await fillSignIn(page, { name: "administrator", password: "a guess that is wrong" });
  await page.locator("main code").first().waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("administrator");
  expect(faults).toEqual([]);
});

test.each([
  ["/account", "/account"],
  ["//elsewhere.example/", "/"],
  ["https://elsewhere.example/", "/"],
  ["/\\elsewhere.example", "/"],
])("after signing in, `from=%s` leads to %s", async (from, there) => {
  const { page, faults } = await house.window();
  await page.goto(`/sign-in?from=${encodeURIComponent(from)}`);
  await fillSignIn(page, house.tollgate.administrator);
  await page.waitForURL((url) => url.pathname === there);
  expect(faults).toEqual([]);
});

/** Ends the session of a window through the API, as an operator or another tab does. */
async function endSession(page: Page): Promise<void> {
  const url = `${house.tollgate.control}/api/v1/session`;
  const cookies = await page.context().cookies(url);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const session = await fetch(url, { headers: { cookie } });
  const { csrf } = (await session.json()) as { csrf: string };
  await fetch(url, { method: "DELETE", headers: { cookie, "x-csrf-token": csrf } });
}

/** Fills in and submits the form for a new access token. */
async function makeToken(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Token name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
}

test("after a session ends under a form, signing in above it completes the save", async () => {
  const { administrator } = house.tollgate;
  const { page, faults } = await house.as(administrator, [/status of 401 /]);
  await page.goto("/account/access-tokens");
  await settled(page);
  await endSession(page);
  await makeToken(page, "pipeline");
  const above = page.getByRole("dialog", { name: "Sign in again" });
  await above.waitFor();
  expect(await page.getByLabel("Token name").inputValue()).toBe("pipeline");

  await fillSignIn(page, { name: administrator.name, password: "a guess that is wrong" });
  await above.getByRole("alert").or(above.locator("code")).first().waitFor();
  await fillSignIn(page, administrator);
  await page.getByRole("dialog", { name: "Your new access token" }).waitFor();
  await above.waitFor({ state: "hidden" });
  expect(faults).toEqual([]);
});

test("another user who signs in above a page does not save the first user's input", async () => {
  const other = await house.tollgate.person("otto", "developer");
  const { page, faults } = await house.as(house.tollgate.administrator, [/status of 401 /]);
  await page.goto("/account/access-tokens");
  await settled(page);
  await endSession(page);
  await makeToken(page, "not for otto");
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await fillSignIn(page, other);
  await page.waitForURL((url) => url.pathname === "/");
  await page.goto("/account/access-tokens");
  await settled(page);
  expect(await page.getByText("not for otto").count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a user who is disabled while signed in must sign in, which is refused with a reason", async () => {
  const { administrator } = house.tollgate;
  const person = await house.tollgate.person("dieter", "developer");
  const { page } = await house.as(person, [/status of 40[13] /]);
  const users = await administrator.api.GET("/api/v1/users");
  const user = users.data?.items.find(({ name }) => name === person.name)?.id ?? "";
  const params = { path: { user } };
  await administrator.api.PATCH("/api/v1/users/{user}", { params, body: { disabled: true } });
  await page.goto("/account/access-tokens");
  await page.waitForURL("**/sign-in?**");
  await fillSignIn(page, person);
  await page.locator("main code").first().waitFor();
  expect(await heading(page)).toBe("Sign in");
});

test("a link that needs another role names the missing role", async () => {
  const person = await house.tollgate.person("wanda", "developer");
  const { page, faults } = await house.as(person);
  await page.goto("/admin");
  await page.getByText("requires the role administrator").waitFor();
  await page.getByRole("link", { name: "Go to catalogue" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  expect(faults).toEqual([]);
});
