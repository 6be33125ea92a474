// Usage as charts, figures, tables and CSV, in ranges that each have their own step: of an
// application for its developer, of a version, an API and all own APIs for their publisher.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { type Published, published } from "../support/apis";
import { settled } from "../support/browser";
import { done } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
const ANSWERED = 3;
const REFUSED = 2;
let petra: Person;
let dora: Person;
let things: Published;
let application = "";

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  petra = await tollgate.person("petra", "publisher");
  dora = await tollgate.person("dora", "developer");
  const limits = [{ per: "subscription" as const, amount: ANSWERED, window: "day" as const }];
  const few = { name: "few", title: "Few", description: "", limits };
  await done(tollgate.administrator.api.POST("/api/v1/plans", { body: few }));
  const wanted = { name: "Orders", upstream: backEnd.url, plans: ["few"] };
  things = await published(petra.api, wanted);
  application = (await done(dora.api.POST("/api/v1/applications", { body: { name: "Shop" } }))).id;
  const subscription = { application, version: things.version, plan: "few" };
  await done(dora.api.POST("/api/v1/subscriptions", { body: subscription }));
  const params = { path: { application } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(dora.api.POST(keys, { params, body: { name: "till" } }));
  const headers = { apikey: key ?? "" };
  for (let call = 0; call < ANSWERED + REFUSED; call += 1) {
    await (await fetch(`${tollgate.gateway}${things.path}/things`, { headers })).arrayBuffer();
  }
  // A call is counted after its response was sent; a page that is loaded before that asks again
  // after a minute.
  const counted = async () => {
    const query = { application };
    const usage = await done(dora.api.GET("/api/v1/usage", { params: { query } }));
    return usage.rows.reduce((sum, row) => sum + row.calls, 0);
  };
  const allCounted = async () => {
    expect(await counted()).toBe(ANSWERED + REFUSED);
  };
  await vi.waitFor(allCounted, { timeout: 30_000 });
});

/** The chart with the calls of these tests. */
const chartOf = (page: Page) =>
  page.getByRole("img", { name: `Calls over time: ${ANSWERED} answered, ${REFUSED} refused.` });

/** Returns the value of a figure, with what is beside it. */
const figure = (page: Page, label: string) =>
  page.locator("dl > div").filter({ hasText: label }).locator("dd").innerText();

/** Waits for a row of a table, by the texts of its cells. */
const rowOf = (page: Page, table: string, name: RegExp) =>
  page.getByRole("table", { name: table }).getByRole("row", { name }).waitFor();

/** Selects a range; resolves to the steps requested from the API meanwhile. */
async function choose(page: Page, range: string): Promise<Set<string>> {
  const steps = new Set<string>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const step = searchParams.get("step");
    if (pathname === "/api/v1/usage" && step !== null) steps.add(step);
  });
  await page.getByRole("radio", { name: range, exact: true }).click();
  await settled(page);
  return steps;
}

/** Presses CSV; resolves to the file name and the rows without the header. */
async function saved(page: Page): Promise<{ name: string; rows: string[][] }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV", exact: true }).click(),
  ]);
  const [titles, ...lines] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(titles).toBe("time,answered,refused");
  return { name: file.suggestedFilename(), rows: lines.map((line) => line.split(",")) };
}

/** Returns the sums of the second and the third column. */
const sumsOf = (rows: string[][]): number[] =>
  [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));

test("an application's usage is a chart and a table", async () => {
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${application}`);
  await rowOf(page, "Why calls were refused", /^Orders 1\.0 429 .+ 2$/);
  await page.getByRole("link", { name: "Usage", exact: true }).click();
  // The overview has a chart too.
  await page.waitForURL(/\/usage/);
  await settled(page);
  await chartOf(page).waitFor();

  await page.getByRole("button", { name: "Show as table" }).click();
  const table = page.getByRole("table", { name: "Calls over time" });
  await table.waitFor();
  const cells = await table.getByRole("row").nth(1).getByRole("cell").allTextContents();
  expect(cells.slice(-2)).toEqual([String(ANSWERED), String(REFUSED)]);
  await page.getByRole("button", { name: "Show as chart" }).click();
  await chartOf(page).waitFor();
  expect(faults).toEqual([]);
});

test("an application's usage is CSV by minute, hour and day", async () => {
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${application}/usage`);
  await settled(page);
  for (const [range, step, points] of [
    ["1 h", "minute", 61],
    ["7 d", "hour", 169],
    ["30 d", "day", 31],
  ] as const) {
    expect([...(await choose(page, range))]).toEqual([step]);
    await chartOf(page).waitFor();
    const { name, rows } = await saved(page);
    expect(name).toBe(`usage-${range.replace(" ", "")}.csv`);
    expect(sumsOf(rows)).toEqual([ANSWERED, REFUSED]);
    expect(rows.length).toBe(points);
  }
  expect(new URL(page.url()).searchParams.get("range")).toBe("30d");
  await rowOf(page, "Versions with most calls", /^Orders 1\.0 5 0% [\d.]+ (µs|ms)$/);
  expect(faults).toEqual([]);
});

test("the figures have percentiles, and say until when calls are counted", async () => {
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${application}/usage`);
  await chartOf(page).waitFor();
  expect(await figure(page, "Answered")).toBe(String(ANSWERED));
  expect(await figure(page, "Error rate")).toBe("0%");
  for (const time of ["Median time", "p95", "p99"]) {
    expect(await figure(page, time)).toMatch(/^[\d.]+ (µs|ms)/);
  }
  await page.getByText(/^Counted up to /).waitFor();
  expect(faults).toEqual([]);
});

test("a version's usage is shown by operation, application and response", async () => {
  const { page, faults } = await on.as(petra);
  await page.goto(`/publish/versions/${things.version}`);
  await page.getByRole("link", { name: "Usage", exact: true }).click();
  await chartOf(page).waitFor();
  expect([...(await choose(page, "7 d"))]).toEqual(["hour"]);
  await chartOf(page).waitFor();
  expect(sumsOf((await saved(page)).rows)).toEqual([ANSWERED, REFUSED]);
  await rowOf(page, "Slowest operations", /^GET \/things 5 0% /);
  await rowOf(page, "Applications with most calls", /^Shop 5 0%$/);
  await rowOf(page, "Responses", /^429 /);
  await rowOf(page, "Responses", /^200 .*answered by the upstream/);
  expect(faults).toEqual([]);
});

test("the overview has the last day of all APIs, by a single request", async () => {
  for (const person of [petra, on.tollgate.administrator]) {
    const { page, faults, apiCalls } = await on.as(person);
    await settled(page);
    apiCalls.length = 0;
    await page.goto("/publish");
    await rowOf(page, "APIs with most calls", /^Orders 5 0% [\d.]+ (µs|ms)$/);
    await settled(page);
    expect(apiCalls.filter((call) => call === "GET /api/v1/usage").length).toBe(1);
    expect(await figure(page, "Calls")).toBe(String(ANSWERED + REFUSED));
    expect(await figure(page, "Error rate")).toBe("0%");
    for (const time of ["Median time", "p95", "p99"]) {
      expect(await figure(page, time)).toMatch(/^[\d.]+ (µs|ms)$/);
    }
    await page.getByText(/^Counted up to /).waitFor();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await chartOf(page).waitFor();
    expect(faults).toEqual([]);
  }
});

test("an API's usage is that of all its versions", async () => {
  const { page, faults } = await on.as(petra);
  await page.goto(`/publish/apis/${things.api}`);
  await page.getByRole("link", { name: "Usage", exact: true }).click();
  await chartOf(page).waitFor();
  expect(await figure(page, "p95")).toMatch(/^[\d.]+ (µs|ms)/);
  await rowOf(page, "Versions with most calls", /^1\.0 5 0% /);
  await rowOf(page, "Applications with most calls", /^Shop 5 0%$/);
  expect([...(await choose(page, "30 d"))]).toEqual(["day"]);
  expect(new URL(page.url()).searchParams.get("range")).toBe("30d");
  expect(faults).toEqual([]);
});
