// Lists: search, filters and order are in the address, and applied by the server.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { settled } from "../support/browser";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const it = stage();
let petra: Person;

/** In the order of their creation. */
const NAMES = ["Beta", "Alpha", "Gamma"];

beforeAll(async () => {
  petra = await it.tollgate.person("petra", "publisher");
  for (const name of NAMES)
    await published(petra.api, { name, upstream: it.backEnd.url, plans: ["unlimited"] });
});

const names = async (page: Page): Promise<string[]> => {
  await settled(page);
  return page.locator("main h2").allInnerTexts();
};

test("the catalogue is sorted by name, or newest first if its address has that", async () => {
  const { page, faults } = await it.as(petra);
  await page.goto("/");
  expect(await names(page)).toEqual(["Alpha", "Beta", "Gamma"]);
  await page.getByRole("button", { name: "Sort" }).click();
  await page.getByRole("option", { name: "Newest first" }).click();
  await page.waitForURL("**/?sort=-created");
  expect(await names(page)).toEqual(["Gamma", "Alpha", "Beta"]);
  await page.goBack();
  expect(await names(page)).toEqual(["Alpha", "Beta", "Gamma"]);
  await page.goto("/?sort=made-up&state=prototyped");
  expect(await names(page)).toEqual([]);
  await page.getByRole("link", { name: "Show all" }).click();
  expect(await names(page)).toEqual(["Alpha", "Beta", "Gamma"]);
  expect(new URL(page.url()).search).toBe("");
  expect(faults).toEqual([]);
});

test("a search without results can be changed", async () => {
  const { page, faults } = await it.as(petra);
  await page.goto("/publish?q=nothing");
  await page.getByText("No matching APIs.").waitFor();
  // The response to the emptied search is delayed: the previous rows stay until then.
  await page.route("**/api/v1/versions?**", async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.getByRole("searchbox").fill("");
  await page.waitForURL((url) => url.search === "");
  await page.waitForTimeout(100);
  await page.keyboard.type("alp");
  await page.waitForURL("**/publish?q=alp");
  await page.getByText("1 of 1").waitFor();
  expect(faults).toEqual([]);
});

test("a list with a search can be saved as a file", async () => {
  const { page, faults } = await it.as(petra);
  await page.goto("/?q=a&sort=-created");
  expect(await names(page)).toEqual(["Gamma", "Alpha", "Beta"]);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("catalogue.csv");
  const lines = readFileSync(await file.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(lines.slice(0, 2)).toEqual([
    "API,Version,Path,Kind,State,Plans,Description",
    "Gamma,1.0,/gamma/1.0,REST,published,Unlimited,What Gamma knows.",
  ]);
  expect(lines).toHaveLength(4);
  expect(faults).toEqual([]);
});
