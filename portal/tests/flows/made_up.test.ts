// Made-up addresses: unknown ids and, in the whole matrix, malformed ids, cursors, tabs and ranges.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type Listed, type Made, addressOf, pages } from "../pages";
import { type Watched, open, settled, signIn } from "../support/browser";
import { type World, seed } from "../support/seed";
import { stage } from "../support/stage";

const house = stage();
let world: World;
const windows = new Map<string, Watched>();

beforeAll(async () => {
  world = await seed(house.tollgate, house.backEnd.url);
  for (const role of ["developer", "publisher", "administrator"] as const) {
    // The API refuses most of them, which the browser logs to its console.
    const watched = await open(house.browser, house.tollgate, {}, [/status of 4\d\d /]);
    await signIn(watched.page, world[role]);
    windows.set(role, watched);
  }
});

const inside = pages.filter(({ role }) => windowed(role));

function windowed(role: Listed["role"]): boolean {
  return role !== "nobody" && role !== "newcomer";
}

/** Opens an address; reports a finding if no page was shown to explain the error. */
async function outcome(row: Listed, address: string): Promise<string[]> {
  const watched = windows.get(row.role);
  if (!watched) return ["no window"];
  watched.faults.length = 0;
  await watched.page.goto(address);
  await settled(watched.page);
  const heading = await headingOf(watched.page);
  const isBroken = heading === "" || heading === "This page failed";
  return [...watched.faults, ...(isBroken ? [`${address}: the heading is “${heading}”`] : [])];
}

const headingOf = async (page: Page) => (await page.locator("h1").first().textContent()) ?? "";

/** An unknown id, a malformed one, and bytes that are not text. */
const IDS = ["00000000000", "nonsense", "%00", "..%2F..%2Fadmin", "%F0%9F%9A%80"];
const isWhole = process.env["TOLLGATE_PORTAL_MATRIX"] === "whole";

const withIds = inside.filter(({ route }) => route.includes("$"));

test.each(withIds)("unknown ids: $name", async (row) => {
  const found: string[] = [];
  for (const id of isWhole ? IDS : IDS.slice(0, 1)) {
    const made = new Proxy({}, { get: (_, name) => madeUp(String(name), id) }) as Made;
    found.push(...(await outcome(row, addressOf(row, made))));
  }
  expect(found).toEqual([]);
});

/** Returns an id with the prefix of its kind, if it is to be well-formed. */
function madeUp(name: string, id: string): string {
  return /^\d+$/.test(id) ? `${name.slice(0, 3)}_${id}` : id;
}

const SEARCHES = [
  "after=nonsense&q=%00&sort=sideways&limit=-1&state=none&kind=none&plan=none&status=none",
  "from=yesterday&to=1e99&range=9y&tab=none&group_by=none&code=no.code&request=none",
  'from=2026-02-30&after[]=1&q={"a":1}&range[0]=1&tab=1&page=NaN',
];

test.runIf(isWhole).each(inside)(
  "cursors, tabs and ranges that mean nothing: $name",
  async (row) => {
    const address = addressOf(row, world.made).split("?")[0] ?? "";
    const found: string[] = [];
    for (const search of SEARCHES) found.push(...(await outcome(row, `${address}?${search}`)));
    expect(found).toEqual([]);
  },
);

test.each(["/nothing", "/admin/nothing", "/apis", "/account/nothing/at/all"])(
  "there is no page at %s",
  async (address) => {
    const watched = windows.get("administrator");
    await watched?.page.goto(address);
    await watched?.page.getByRole("heading", { name: "Page not found" }).waitFor();
  },
);
