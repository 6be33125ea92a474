// The reference of a rich document: operations by tag, parameters, responses, and visible try-it,
// at 1280 and at 400 px.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { ANIMALS } from "../support/animals";
import { DESKTOP, PHONE, settled } from "../support/browser";
import { axeFindings, sidewaysFindings } from "../support/checks";
import { keyboardFindings } from "../support/keyboard";
import { trying } from "../support/trying";

const it = trying();
let animals = "";

beforeAll(async () => {
  animals = (await it.described("Animals", ANIMALS)).version;
});

async function opened(page: Page, operation: string, version = animals): Promise<void> {
  await page.goto(`/apis/${version}/reference/${operation}`);
  await settled(page);
}

const list = (page: Page) => page.getByRole("navigation", { name: "Operations" });

test("operations are grouped by tag, with its description, and webhooks are a group", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  const groups = await list(page).getByRole("button").allInnerTexts();
  expect(groups.map((text) => text.split("\n")[0])).toEqual([
    ...["search", "body", "Other operations", "Webhooks"],
  ]);
  await list(page).getByText("How search works, in words").waitFor();
  const group = list(page).getByRole("button", { name: "body" });
  await group.click();
  expect(await list(page).getByRole("link", { name: "Add an animal" }).count()).toBe(0);
  await group.click();
  await list(page).getByRole("link", { name: "An animal has come" }).click();
  await page.getByRole("heading", { level: 1, name: "An animal has come" }).waitFor();
  await page.getByText("It does not pass through the gateway and cannot be tried here.").waitFor();
  expect(await page.getByRole("button", { name: "Send", exact: true }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("an operation is loaded alone, and likely next ones are prefetched", async () => {
  const { page, apiCalls, faults } = await it.stage.as(it.dora);
  await page.goto("/");
  await settled(page);
  apiCalls.length = 0;
  await opened(page, "get-search");
  const below = `GET /api/v1/catalogue/${animals}/`;
  const parts = () => apiCalls.filter((call) => call.startsWith(below));
  await expect
    .poll(() => parts().map((call) => call.slice(below.length)))
    .toEqual(["operations", "operations/get-search", "operations/post-animals"]);
  await list(page).getByRole("link", { name: "The family tree" }).hover();
  await expect.poll(parts).toContain(`${below}operations/get-tree`);
  await list(page).getByRole("link", { name: "The family tree" }).click();
  await page.getByRole("heading", { level: 1, name: "The family tree" }).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  expect(parts()).not.toContain(`${below}document`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "OpenAPI" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("Animals 1.0.json");
  expect(faults).toEqual([]);
});

test("of many groups only that of the current operation is open, and a search opens all", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => {
      const get = { summary: `Thing ${at}`, tags: [`group ${at % 6}`], operationId: `op${at}` };
      return [`/things/${at}`, { get: { ...get, responses: { 200: { description: "ok" } } } }];
    }),
  );
  const info = { title: "Groups", version: "1" };
  const { version } = await it.described("Groups", { openapi: "3.0.3", info, paths });
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-things-8", version);
  const links = list(page).getByRole("listitem").getByRole("link");
  expect(await links.count()).toBe(10);
  expect(await links.filter({ hasText: "Thing 8" }).getAttribute("aria-current")).toBe("page");
  await page.getByRole("searchbox", { name: "Search operations" }).fill("op5");
  await list(page).getByRole("link", { name: "Thing 59" }).click();
  await page.getByRole("heading", { level: 1, name: "Thing 59" }).waitFor();
  expect(faults).toEqual([]);
});

test("one Tab leads past the list of operations", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  await page.getByRole("link", { name: "OpenAPI" }).focus();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip the list of operations" });
  expect(await skip.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("operation");
  await page.reload();
  await settled(page);
  expect(await keyboardFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("at 1280 the middle has 480 px and no word is broken", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  const { width = 0 } = (await page.locator("#operation").boundingBox()) ?? {};
  expect(width).toBeGreaterThanOrEqual(480);
  // A type or a name takes as many lines as its words need; none of these is longer than a line.
  const heights = await page
    .locator("#operation li > p > code")
    .evaluateAll((all) => all.map((element) => element.getClientRects().length));
  expect(new Set(heights)).toEqual(new Set([1]));
  expect(faults).toEqual([]);
});

test("parameters are grouped by location, with their facts in one line", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  const headings = await page.locator("#operation h3").allInnerTexts();
  expect(headings.slice(0, 3)).toEqual(["Query parameters", "Header parameters", "Cookies"]);
  const row = (name: string) => page.locator("#operation li", { hasText: name }).first();
  expect(await row("limit").innerText()).toMatch(/limit\s+integer\s+1 to 100 · 20 when absent/);
  expect(await row("state").innerText()).toContain("required");
  expect(await row("since").innerText()).toContain("deprecated");
  expect(faults).toEqual([]);
});

test("responses are tabs by status, each with its headers, links, schema and sample", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  const panel = page.getByRole("tabpanel");
  const sample = panel.getByRole("region", { name: "Sample: response 200, application/json" });
  expect(await panel.innerText()).toMatch(/X-Total\s+integer\s+required/);
  expect(await sample.innerText()).toContain('"Tom"');
  await panel.getByRole("button", { name: "Example" }).click();
  await page.getByRole("option", { name: "Dogs only" }).click();
  expect(await sample.innerText()).toContain('"Rex"');
  await panel.getByText("lives", { exact: true }).waitFor();
  await panel.getByRole("button", { name: /kind$/ }).click();
  await page.getByRole("option", { name: "dog" }).click();
  await panel.getByText("barks", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "200" }).focus();
  await page.keyboard.press("ArrowRight");
  await panel.getByText("A fault of the call").waitFor();
  expect(await panel.innerText()).toContain('"code": "a"');
  await page.keyboard.press("ArrowLeft");
  await panel.getByRole("link", { name: "addAnimal" }).click();
  await page.getByRole("heading", { level: 1, name: "Add an animal" }).waitFor();
  expect(faults).toEqual([]);
});

test("bodies, callbacks, contact, licence and terms are shown", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "post-animals");
  await page.getByText("The animal, as JSON or as a line of CSV").waitFor();
  await page.getByText("The animal is ready").waitFor();
  await page.getByText("{$request.body#/url}").waitFor();
  for (const [name, url] of [
    ["The shelter", "https://example.com/contact"],
    ["MIT", "https://example.com/licence"],
    ["https://example.com/terms", "https://example.com/terms"],
    ["The handbook", "https://example.com/docs"],
    ["How to add", "https://example.com/body"],
  ] as const) {
    expect(await page.getByRole("link", { name, exact: true }).getAttribute("href")).toBe(url);
  }
  expect([...(await axeFindings(page)), ...(await sidewaysFindings(page))]).toEqual([]);
  expect(faults).toEqual([]);
});

test("a long example is cut with a sentence", async () => {
  const example = { text: "x".repeat(200_000) };
  const content = { "application/json": { schema: { type: "object" }, example } };
  const get = { summary: "Long", responses: { 200: { description: "Long", content } } };
  const info = { title: "Long", version: "1" };
  const { version } = await it.described("Long", {
    openapi: "3.0.3",
    info,
    paths: { "/long": { get } },
  });
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-long", version);
  await page.getByText(/^The first 20,000 of 200,\d+ characters are shown\.$/).waitFor();
  expect(faults).toEqual([]);
});

test("try-it stays visible while scrolling", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "post-animals");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const send = page.getByRole("button", { name: "Send", exact: true });
  const { y = -1 } = (await send.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(0);
  expect(y).toBeLessThan(DESKTOP.height);
  expect(faults).toEqual([]);
});

test("below 1440 px the side bar is a strip, and opens above the page", async () => {
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, "get-search");
  const catalogue = page.getByRole("link", { name: "Catalogue", exact: true }).last();
  const menu = page.getByRole("button", { name: "Menu" });
  const pages = page.getByRole("navigation", { name: "Pages" });
  expect(await pages.isVisible()).toBe(false);
  await menu.click();
  expect(await pages.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  expect(await pages.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1440, height: 760 });
  expect(await pages.isVisible()).toBe(true);
  await catalogue.waitFor();
  expect(faults).toEqual([]);
});

test("on a phone the closed list shows the current operation, and a bar opens try-it", async () => {
  const { page, faults } = await it.stage.as(it.dora, [], { viewport: PHONE });
  await opened(page, "get-search");
  const where = page.getByRole("button", { name: /search \/ Search all animals/ });
  expect(await where.getAttribute("aria-expanded")).toBe("false");
  expect(await where.innerText()).toContain("1 of 4");
  await where.click();
  await list(page).getByRole("link", { name: "The family tree" }).click();
  await page.getByRole("heading", { level: 1, name: "The family tree" }).waitFor();
  expect(await list(page).isVisible()).toBe(false);
  const tryIt = page.getByRole("button", { name: "Try it", exact: true });
  const { y = 0 } = (await tryIt.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(PHONE.height - 60);
  await tryIt.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.getByText("200 OK", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  // The response is still there.
  await tryIt.click();
  await dialog.getByText("200 OK", { exact: true }).waitFor();
  expect(await sidewaysFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect([...(await axeFindings(page)), ...(await sidewaysFindings(page))]).toEqual([]);
  expect(faults).toEqual([]);
});
