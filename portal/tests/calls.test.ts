// Pages with lists send as many HTTP API requests for long lists as for short ones, none per row.

import { expect, test } from "vitest";
import { addressOf, pages } from "./pages";
import { settled } from "./support/browser";
import { callsBesideSession } from "./support/checks";
import { lengthen } from "./support/many";
import { type World, callAbout, seed } from "./support/seed";
import { stage } from "./support/stage";

const FEW = 3;
const MANY = 30;

const on = stage();
const lists = pages.filter(({ isList }) => isList);

/** Returns the requests of each page with a list while it loads, by the page's name. */
async function asksOfLists(world: World): Promise<Map<string, string[]>> {
  const requestsOf = new Map<string, string[]>();
  for (const role of ["developer", "publisher", "administrator"] as const) {
    const { page, apiCalls } = await on.as(world[role]);
    for (const row of lists.filter((row) => row.role === role)) {
      await settled(page);
      apiCalls.length = 0;
      await page.goto(addressOf(row, world.made));
      await settled(page);
      requestsOf.set(row.name, callsBesideSession(apiCalls).sort());
    }
  }
  await on.closeWindows();
  return requestsOf;
}

test("no page sends more requests for a longer list", { timeout: 300_000 }, async () => {
  const { tollgate, backEnd } = on;
  const world = await seed(tollgate, backEnd.url);
  await callAbout(tollgate, world.key);
  await lengthen(world, backEnd.url, 0, FEW);
  const few = await asksOfLists(world);
  await lengthen(world, backEnd.url, FEW, MANY);
  const many = await asksOfLists(world);

  const counts = [...many].map(([name, { length }]) => `${name} ${length}`);
  console.log(`calls while a page loads: ${counts.join(", ")}`);
  expect(few.size).toBe(lists.length);
  expect(many).toEqual(few);
});
