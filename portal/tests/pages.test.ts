// Every page of `pages.ts`, opened by its strongest role against the real binary. With
// TOLLGATE_PORTAL_MATRIX=whole (`make portal-check`) also on a phone, dark, by keyboard alone, in
// all its states, and by each role.

import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { type Listed, type Role, addressOf, isInside, mayOpen, pages } from "./pages";
import { DESKTOP, PHONE, type Watched, open, settled, signIn } from "./support/browser";
import {
  axeFindings,
  callFindings,
  commandFindings,
  headingFindings,
  sidewaysFindings,
} from "./support/checks";
import { escapeFindings, keyboardFindings } from "./support/keyboard";
import { type World, callAbout, seed } from "./support/seed";
import { stage } from "./support/stage";

const isWhole = process.env["TOLLGATE_PORTAL_MATRIX"] === "whole";

const house = stage();
let world: World;
let newcomer: { name: string; password: string };
/** One signed-in window for each role and look. */
const windows = new Map<string, Promise<Watched>>();
/** Titles of the pages. */
const titles = new Map<string, string>();
let requests = 0;

beforeAll(async () => {
  const { tollgate, backEnd } = house;
  world = await seed(tollgate, backEnd.url);
  await callAbout(tollgate, world.key);
  newcomer = { name: "nora", password: await tollgate.newcomer("nora", "developer") };
});

function personOf(role: Role): { name: string; password: string; token?: string } | undefined {
  if (role === "nobody") return undefined;
  return role === "newcomer" ? newcomer : world[role];
}

function windowOf(role: Role, look: string, options: BrowserContextOptions): Promise<Watched> {
  const key = `${role} ${look}`;
  const known = windows.get(key);
  if (known) return known;
  const opened = (async () => {
    const watched = await open(house.browser, house.tollgate, options);
    const person = personOf(role);
    if (person) await signIn(watched.page, person);
    return watched;
  })();
  windows.set(key, opened);
  return opened;
}

/** Opens a page and waits until it is complete; returns its requests and its errors. */
async function visit(row: Listed, role: Role, look: string, options: BrowserContextOptions) {
  const watched = await windowOf(role, look, options);
  watched.faults.length = 0;
  watched.apiCalls.length = 0;
  const before = watched.requests();
  await watched.page.goto(addressOf(row, world.made));
  await settled(watched.page);
  requests += watched.requests() - before;
  return watched;
}

async function findings({ page, faults, apiCalls }: Watched): Promise<string[]> {
  return [
    ...(await headingFindings(page)),
    ...(await sidewaysFindings(page)),
    ...(await axeFindings(page)),
    ...callFindings(apiCalls),
    ...faults,
  ];
}

const looks: Record<string, BrowserContextOptions> = { light: { viewport: DESKTOP } };
if (isWhole) {
  looks["dark"] = { viewport: DESKTOP, colorScheme: "dark" };
  looks["phone"] = { viewport: PHONE };
  looks["phone, dark"] = { viewport: PHONE, colorScheme: "dark" };
}

describe.each(Object.entries(looks))("%s", (look, options) => {
  test.each(pages)("$name", async (row) => {
    const watched = await visit(row, row.role, look, options);
    const title = await watched.page.title();
    titles.set(title, titles.get(title) ?? row.name);
    const found = await findings(watched);
    const token = personOf(row.role)?.token;
    if (token && look === "light") {
      found.push(...(await commandFindings(row, watched.page, house.tollgate, token)));
    }
    const namesake = titles.get(title);
    if (namesake !== row.name) found.push(`has the title of ${namesake}: ${title}`);
    expect(found).toEqual([]);
  });
});

test("no request is sent to another host", () => {
  // A request to another host is a fault of its page; this checks that requests were seen at all.
  expect(requests).toBeGreaterThan(pages.length);
});

const ROLES: readonly Role[] = ["developer", "publisher", "administrator"];
const FORBIDDEN = "Access denied";
const inside = pages.filter(isInside);

describe.runIf(isWhole)("whole", () => {
  const states = pages.flatMap((row) => (row.states ?? []).map((state) => ({ row, state })));
  describe.each(Object.entries(looks))("%s", (look, options) => {
    test.each(states)("$row.name: $state.name", async ({ row, state }) => {
      const watched = await visit(row, row.role, look, options);
      // The page's own requests are checked when it is opened.
      watched.apiCalls.length = 0;
      await state.do(watched.page, world.made);
      await settled(watched.page);
      // A dialog hides the page's own heading from assistive technology, which is right.
      const isProvoked = (found: string) => state.provokes?.test(found) ?? false;
      const found = await findings(watched);
      expect(found.some(isProvoked)).toBe(state.provokes !== undefined);
      expect(found.filter((it) => !isProvoked(it))).toEqual([]);
    });
  });

  test.each(pages)("by keyboard: $name", async (row) => {
    const { page } = await visit(row, row.role, "light", {});
    const found = await keyboardFindings(page);
    found.push(...(await escapeFindings(page, "Show as command")));
    expect(found).toEqual([]);
  });

  describe.each(ROLES)("opened by a %s", (role) => {
    test.each(inside.filter((row) => row.role !== role))("$name", async (row) => {
      const watched = await visit(row, role, "light", {});
      const heading = await watched.page.locator("h1").first().textContent();
      expect(heading === FORBIDDEN, heading ?? "").toBe(!mayOpen(row, role));
      if (heading === FORBIDDEN) {
        expect(await watched.page.locator("main").textContent()).toContain(row.role);
      }
    });
  });

  test.each(inside)("visitors must sign in: $name", async (row) => {
    const { page } = await visit(row, "nobody", "light", {});
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toBe("/sign-in");
    expect(searchParams.get("from")).toBe(addressOf(row, world.made));
  });
});
