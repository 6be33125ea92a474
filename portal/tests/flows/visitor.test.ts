// An open catalogue (`control.open_catalogue`): visitors read it without signing in, and sign in to
// call an API.

import { beforeAll, expect, test } from "vitest";
import { fillSignIn, settled } from "../support/browser";
import {
  axeFindings,
  commandLines,
  headingFindings,
  pasteCommands,
  sidewaysFindings,
} from "../support/checks";
import { Clicks, WAYS } from "../support/clicks";
import { type World, seed } from "../support/seed";
import { stage } from "../support/stage";
import { Tollgate } from "../support/tollgate";

const on = stage(() => Tollgate.start("--control-open-catalogue"));
let world: World;

beforeAll(async () => {
  world = await seed(on.tollgate, on.backEnd.url);
});

test.each(WAYS)("the catalogue is read without signing in: $name", async ({ options }) => {
  const { page, faults, apiCalls } = await on.window(options);
  const { version, operation, soapVersion } = world.made;
  for (const address of [
    "/",
    "/?q=orders",
    `/apis/${version}`,
    `/apis/${version}/reference`,
    `/apis/${version}/reference/${operation}`,
    `/apis/${soapVersion}/reference`,
  ]) {
    await page.goto(address);
    await settled(page);
    expect(new URL(page.url()).pathname).not.toBe("/sign-in");
    const findings = [
      ...(await axeFindings(page)),
      ...(await sidewaysFindings(page)),
      ...(await headingFindings(page)),
    ];
    expect(findings, address).toEqual([]);
    const lines = (await commandLines(page)) ?? [];
    expect(lines.join("\n")).not.toContain("TOLLGATE_TOKEN");
    const answered = await pasteCommands(lines, on.tollgate, "none");
    expect(answered.filter((answer) => !answer.startsWith("200 "))).toEqual([]);
  }
  // A visitor has no applications to load.
  const all = apiCalls.filter((call) => !/\/(catalogue|portal|session)\b/.test(call));
  expect(all).toEqual([]);
  expect(faults).toEqual([]);
});

test.each(WAYS)(
  "a visitor signs in when needed, and continues on the same page: $name",
  async (way) => {
    const { page, faults } = await on.window(way.options);
    const clicks = new Clicks(way);
    await page.goto("/");
    await clicks.on(page.getByRole("link", { name: "Orders", exact: true }));
    await page.waitForURL("**/apis/*");
    const { pathname } = new URL(page.url());
    await clicks.on(page.getByRole("link", { name: "Sign in to call it" }));
    await fillSignIn(page, world.developer);
    await page.waitForURL(`**${pathname}`);
    await page.getByRole("button", { name: "Get a key" }).waitFor();
    expect(faults).toEqual([]);
  },
);

test("visitors can open no other page", async () => {
  const { page, faults } = await on.window();
  for (const address of ["/applications", "/explain", "/publish", "/admin", "/account"]) {
    await page.goto(address);
    await page.waitForURL(`**/sign-in?from=${encodeURIComponent(address)}`);
  }
  expect(faults).toEqual([]);
});
