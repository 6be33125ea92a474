// Unusual names: the page works as with any other, or the field reports why it is invalid.

import { expect, test } from "vitest";
import { PHONE, settled } from "../support/browser";
import { sidewaysFindings } from "../support/checks";
import { stage } from "../support/stage";

const house = stage();

const NAMES = [
  "w".repeat(200),
  "عنوان الطلبات",
  "🦊 foxes",
  "../../etc/passwd",
  "<script>globalThis.ran = true</script>",
];

test.each(NAMES)("an application called %s", async (name) => {
  const { administrator } = house.tollgate;
  const { page, faults } = await house.as(administrator, [/status of 422 /], { viewport: PHONE });
  await page.goto("/applications");
  await page.getByRole("button", { name: "Create application" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create application" }).click();
  const made = page.getByRole("heading", { level: 1, name, exact: true });
  const refused = dialog.locator("[data-invalid]");
  await made.or(refused).first().waitFor();
  if (await refused.count()) {
    expect(await dialog.getByLabel("Name").inputValue()).toBe(name);
  } else {
    await settled(page);
    await page.goto("/applications");
    await page.getByRole("link", { name, exact: true }).waitFor();
  }
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  expect(await sidewaysFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
});
