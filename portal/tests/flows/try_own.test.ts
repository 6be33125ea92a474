// A publisher tries a version of their own API, with a proposed application.

import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { WAYS } from "../support/clicks";
import { makePlans } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
let paula: Person;

beforeAll(async () => {
  await makePlans(on.tollgate.administrator);
  paula = await on.tollgate.person("paula", "publisher");
});

let versions = 0;

test.each(WAYS)("the publisher's own version is tried: $name", async (way) => {
  // A second try makes another one.
  versions += 1;
  const wanted = { name: `Own${versions}`, upstream: on.backEnd.url, plans: ["gold"] };
  const { version } = await published(paula.api, wanted);
  const { page, faults } = await on.as(paula, [], way.options);
  await page.goto(`/publish/versions/${version}`);
  await page.getByRole("button", { name: "Try it" }).click();
  const dialog = page.getByRole("dialog", { name: /^Try Own/ });
  // The reference must not be shown with what the dialog knew of the version: no subscription.
  await page.route(`**/api/v1/catalogue/${version}`, async (route) => {
    await delay(1_000);
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Try it" }).click();
  await page.waitForURL("**/reference/get-things");
  const open = page.getByRole("button", { name: "Try it" });
  const send = page.getByRole("button", { name: "Send", exact: true });
  await open.or(send).first().waitFor();
  if (await open.isVisible()) await open.click();
  await send.click();
  await page.getByText("200 OK", { exact: true }).waitFor();

  // From then on it opens the reference directly.
  await page.goto(`/publish/versions/${version}`);
  await page.getByRole("button", { name: "Try it" }).click();
  await page.waitForURL("**/reference/get-things");
  expect(faults).toEqual([]);
});

test("another publisher's API offers no key to a publisher", async () => {
  const petra = await on.tollgate.person("petra", "publisher");
  const wanted = { name: "Elsewhere", upstream: on.backEnd.url, plans: ["gold"] };
  const { version } = await published(petra.api, wanted);
  const { page, faults } = await on.as(paula);
  await page.goto(`/apis/${version}`);
  await page.getByRole("heading", { name: "Elsewhere 1.0" }).waitFor();
  expect(await page.getByRole("button", { name: "Get a key" }).count()).toBe(0);
  expect(faults).toEqual([]);
});
