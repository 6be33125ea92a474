// The cache of a version: set, deployed, seen by a second call, purged; faults at their fields.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addOwnCache } from "../states";
import { published, publishedCalculator } from "../support/apis";
import { cardOf, settled } from "../support/browser";
import { type OddBackEnd, startOddBackEnd } from "../support/odd_upstream";
import { asPerson, publisherStage } from "../support/publisher";
import { change, done } from "../support/seed";

const it = publisherStage();
let odd: OddBackEnd;
beforeAll(async () => {
  odd = await startOddBackEnd();
});
afterAll(() => odd.stop());

const operation = (method: string, path: string) => ({ method, path, anonymous: true });

const api = (name: string, draft: object = {}) =>
  published(it.petra.api, {
    name,
    upstream: odd.url,
    plans: ["business"],
    draft: {
      operations: [
        operation("GET", "/things"),
        operation("GET", "/others"),
        operation("POST", "/things"),
      ],
      ...draft,
    },
  });

async function policiesOf(version: string) {
  const params = { path: { version } };
  return (await done(it.petra.api.GET("/api/v1/versions/{version}/draft", { params }))).policies;
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const saved = (page: Page) => page.getByText("Saved in the draft.").waitFor();

/** Calls anonymously; returns what the cache did. */
async function call(path: string): Promise<string> {
  const answer = await fetch(it.tollgate.gateway + path);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return answer.headers.get("cache-status") ?? "";
}

/** Moves the focus by Tab to the control with a name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const label = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      const labels = at instanceof HTMLInputElement ? [...(at.labels ?? [])] : [];
      const named = labels.map(({ innerText }) => innerText).join(" ");
      const isControl = at?.matches("button, summary, a") ?? false;
      return at?.ariaLabel || named || (isControl && at?.textContent) || "";
    });
  for (let stops = 0; stops < 60 && !name.test(await label()); stops += 1) {
    await page.keyboard.press("Tab");
  }
  expect(await label()).toMatch(name);
}

test("an operation is cached, hit and purged, by keyboard alone", async () => {
  const { version, path } = await api("Kept");
  const things = `${path}/things?a=1`;
  await asPerson(it, it.petra, async ({ page }) => {
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.goto(`/publish/versions/${version}/cache`);
    await page.getByText("No operation has a cache.").waitFor();
    await page.getByText("none yet").nth(1).waitFor();
    await tabTo(page, /^Add operations/);
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(page, /GET \/things/);
    await press("Space");
    await tabTo(page, /^Choose$/);
    await press("Enter");
    await page.getByRole("group", { name: "Cache of GET /things" }).waitFor();
    await tabTo(page, /^Fresh for, seconds/);
    await page.keyboard.type("600");
    await tabTo(page, /^Size, requests, status/);
    await press("Enter");
    await tabTo(page, /^Show Cache-Status/);
    await press("Space");
    await tabTo(page, /^Save$/);
    await press("Enter");
    await page.getByText("1 change not deployed.").waitFor();
    await page.getByRole("button", { name: "Deploy" }).press("Enter");
    // It is enabled once what changes is shown.
    const deploy = page
      .getByRole("dialog")
      .getByRole("button", { name: "Deploy", disabled: false });
    await deploy.press("Enter");
    await page.getByText("Revision 2 is served.").waitFor();

    odd.seen.length = 0;
    expect(await call(things)).toContain("fwd=miss");
    expect(await call(things)).toMatch(/; *hit/);
    await call(`${path}/others`);
    await call(`${path}/others`);
    const addresses = () => odd.seen.map(({ address }) => address);
    expect(addresses()).toEqual(["/things?a=1", "/others", "/others"]);

    const purge = page.getByRole("button", { name: "Purge…" });
    const dialog = page.getByRole("dialog");
    await purge.press("Enter");
    await dialog.getByLabel("All responses of the version").press("ArrowDown");
    await dialog.getByText("list at least one").waitFor();
    await dialog.getByLabel("Paths", { exact: true }).fill("/others");
    await dialog.getByRole("button", { name: "Purge" }).press("Enter");
    await page.getByText(/^Purge 1 is done: 1 path\.$/).waitFor();
    expect(await call(things)).toMatch(/; *hit/);
    await purge.press("Enter");
    await dialog.getByLabel("All responses of the version").press("ArrowDown");
    // Only operations with a cache are proposed.
    expect(await dialog.getByRole("checkbox").count()).toBe(1);
    await dialog.getByRole("checkbox", { name: "GET /things" }).press("Space");
    await dialog.getByRole("button", { name: "Purge" }).press("Enter");
    await page.getByText(/^Purge 2 is done: 1 operation\.$/).waitFor();
    expect(await call(things)).toContain("fwd=");
    await purge.press("Enter");
    await dialog.getByRole("button", { name: "Purge" }).press("Enter");
    await page.getByText(/^Purge 3 is done: all stored responses/).waitFor();
    expect(await call(things)).toContain("fwd=");
    expect(addresses().slice(3)).toEqual(["/things?a=1", "/things?a=1"]);
    await page.reload();
    await cardOf(page, /^Last day$/)
      .getByText(/%$/)
      .waitFor();
  });
});

test("the cache of the version is set, read back and turned off", async () => {
  const { version } = await api("Whole");
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/cache`);
    const on = page.getByText("Store responses", { exact: true });
    await on.click();
    await page.getByText("Plan", { exact: true }).click();
    await page.getByText("Only these parameters").click();
    await page.getByLabel("Parameters", { exact: true }).fill("page\nsize");
    await page.getByLabel("Headers that pass").fill("x-trace");
    await page.getByText("Stale responses and errors").click();
    await page.getByLabel("Stored errors").fill("404 5\n410 60");
    const key = page.getByRole("group", { name: "Key" });
    for (const part of ["the plan", "page, size", "accept, accept-language", "x-trace"]) {
      await key.getByText(part, { exact: true }).waitFor();
    }
    await save(page).click();
    await saved(page);
    const set = { share: "plan", query: ["page", "size"], pass: ["x-trace"] };
    const both = { "404": 5, "410": 60 };
    expect((await policiesOf(version))?.cache).toMatchObject({ ...set, negative_s: both });
    // A merge patch must remove what the form no longer has.
    await page.getByLabel("Stored errors").fill("410 60");
    await page.getByText("The whole query").click();
    await save(page).click();
    await expect
      .poll(async () => (await policiesOf(version))?.cache?.negative_s)
      .toEqual({ "410": 60 });
    expect((await policiesOf(version))?.cache?.query).toBeUndefined();
    // The form is read again after it was saved; a click before that would be lost.
    await settled(page);
    await on.click();
    await save(page).click();
    await expect.poll(() => policiesOf(version)).toBeUndefined();
  });
});

test("operations are exempt, and keep their steps", async () => {
  const { version } = await api("Exempt");
  const step = { policy: "set_header", name: "x-a", value: "1" };
  const both = ["GET /things", "GET /others"];
  const policies = { cache: { ttl_s: 60 }, operations: [{ operations: both, request: [step] }] };
  await change(it.petra.api, version, { policies });
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/cache`);
    await addOwnCache(page);
    const own = page.getByRole("group", { name: "Cache of GET /things" });
    await own.getByText("Store responses", { exact: true }).click();
    await page.getByText("not stored", { exact: true }).waitFor();
    await save(page).click();
    await saved(page);
    expect((await policiesOf(version))?.operations).toMatchObject([
      { operations: ["GET /others"], request: [step] },
      { operations: ["GET /things"], request: [step], cache: { enabled: false } },
    ]);
    // The page of policies keeps caches.
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByText("Allow pages of other origins").click();
    await save(page).click();
    await saved(page);
    const kept = await policiesOf(version);
    expect(kept?.cache).toMatchObject({ ttl_s: 60 });
    expect(kept?.operations[1]?.cache).toMatchObject({ enabled: false });
    await page.goto(`/publish/versions/${version}/cache`);
    await page.getByRole("button", { name: "Remove the cache of GET /things" }).click();
    await page.getByText("All GET operations use the cache of the version.").waitFor();
    await save(page).click();
    await expect
      .poll(async () => (await policiesOf(version))?.operations[1]?.cache)
      .toBeUndefined();
  });
});

test("faults are shown at their fields, also of purges", async () => {
  const { version } = await api("Faulty");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/cache`);
    await page.getByText("Store responses", { exact: true }).click();
    await page.getByLabel("Headers in the key").fill("accept\n\ncookie");
    await page.getByLabel("Headers that pass").fill("Accept");
    await page.getByText("Stale responses and errors").click();
    await page.getByLabel("Stored errors").fill("never");
    await save(page).click();
    await page.getByText("A status and seconds, such as 404 5.").last().waitFor();
    await page.getByLabel("Stored errors").fill("429 5");
    await page.getByLabel("Fresh for, seconds").fill("31536001");
    await save(page).click();
    await page.getByText("From 1 to 31536000 seconds, which is a year.", { exact: true }).waitFor();
    await page.getByText(/^Line 3: Calls with this field go by the cache/).waitFor();
    await page.getByText(/^Line 1: It is listed twice/).waitFor();
    await page.getByText(/^429: A response with this status is for one call/).waitFor();
    await page.getByText("Store responses", { exact: true }).click();
    // A fault of an operation unfolds its row.
    await addOwnCache(page);
    const own = page.getByRole("group", { name: "Cache of GET /things" });
    await own.getByLabel("Fresh for, seconds").fill("-1");
    await page.getByRole("button", { name: "Close the cache of GET /things" }).click();
    await save(page).click();
    await own.getByText("A whole number of at most 9 digits.").waitFor();
    await page.getByRole("button", { name: "Close the cache of GET /things" }).waitFor();

    await page.getByRole("button", { name: "Purge…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Some responses").click();
    // No operation has a cache: each of the deployed revision may.
    expect(await dialog.getByRole("checkbox").count()).toBe(2);
    await dialog.getByLabel("Paths", { exact: true }).fill("things");
    await dialog.getByRole("button", { name: "Purge" }).click();
    await dialog.getByText(/^Line 1: A path below the version/).waitFor();
  };
  await asPerson(it, it.petra, flow, [/status of (422|400)/]);
});

test("faults outside of the cache are listed with their fields", async () => {
  const step = { policy: "set_header", name: "x-at", value: "{{ now }}" };
  const { version } = await api("Outside", { policies: { request: [step] } });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/cache`);
    await page.getByText("Store responses", { exact: true }).click();
    await save(page).click();
    const alert = page.getByRole("alert");
    await alert.getByText("1 fault", { exact: true }).waitFor();
    await alert.getByText(/^\/policies\/request\/0/).waitFor();
    await alert.getByRole("link", { name: "Policies" }).waitFor();
  };
  await asPerson(it, it.petra, flow, [/status of 422/]);
});

test("SOAP is never stored; as REST, listed operations are", async () => {
  const wanted = { upstream: odd.url, plans: ["business"] };
  const soap = await publishedCalculator(it.petra.api, { ...wanted, name: "Soap" }, "soap");
  const rest = await publishedCalculator(it.petra.api, { ...wanted, name: "Rest" }, "soap_to_rest");
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${soap.version}/cache`);
    await page.getByText(/^Responses of a SOAP service are never stored/).waitFor();
    expect(await save(page).count()).toBe(0);
    await page.goto(`/publish/versions/${rest.version}/cache`);
    await page.getByText(/^Only operations listed here are stored/).waitFor();
    expect(await page.getByText("Store responses", { exact: true }).count()).toBe(0);
  });
});
