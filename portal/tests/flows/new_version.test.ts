// A second version of an API, created from the first: published, made the default, called.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { asPerson, publisherStage } from "../support/publisher";
import { change, done } from "../support/seed";

const it = publisherStage();

test("a second version starts as a copy of the first, and becomes the default", async () => {
  const began = performance.now();
  const { api } = it.petra;
  const first = await published(api, {
    name: "Visits",
    upstream: it.backEnd.url,
    plans: ["business"],
    draft: { operations: [{ method: "GET", path: "/visits", anonymous: true }] },
  });
  await change(api, first.version, { body_bytes_max: 4_096 });
  const call = async (path: string) => (await fetch(`${it.tollgate.gateway}${path}`)).status;
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      const dialog = page.getByRole("dialog");
      await page.goto(`/publish/apis/${first.api}`);
      const old = page.getByRole("row", { name: /^1\.0/ });
      await old.getByText("1 change not deployed").waitFor();
      await old.getByText("default", { exact: true }).waitFor();
      await page.getByRole("button", { name: "New version…" }).click();
      await dialog.getByLabel("Name", { exact: true }).fill("1.0");
      await dialog.getByRole("button", { name: "Create version" }).click();
      const field = dialog.getByRole("textbox", { name: "Name" });
      await field.and(page.locator("[aria-invalid]")).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("2.0");
      await dialog.getByRole("button", { name: "Create version" }).click();
      await page.getByRole("heading", { level: 1, name: "Visits 2.0" }).waitFor();
      await page.getByRole("link", { name: "Operations", exact: true }).click();
      await page.getByRole("row", { name: /\/visits/ }).waitFor();
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByRole("button", { name: "Publish…" }).click();
      await dialog.getByRole("button", { name: "Publish" }).click();
      await page.getByText("It is published.").waitFor();
      expect(await call("/visits/2.0/visits")).toBe(200);

      await page.getByRole("link", { name: "Visits", exact: true }).click();
      const rows = page.getByRole("table", { name: "Versions" }).getByRole("row");
      await rows.nth(2).waitFor();
      await page.getByRole("button", { name: "Make 2.0 the default version" }).click();
      const make = page.getByRole("dialog", { name: "Make Visits 2.0 the default version?" });
      await make.getByText("go to it instead of 1.0 within a second").waitFor();
      await make.getByText("2.0 is served at /visits/… if the path names no version.").waitFor();
      await make.getByRole("button", { name: "Make default", exact: true }).click();
      await page.getByText("2.0 is the default version.").waitFor();
      const second = page.getByRole("row", { name: /^2\.0/ });
      await second.getByText("default", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Make 1.0 the default version" }).waitFor();
    },
    [/status of 409/, /status of 422/],
  );
  console.log(`flow: second version: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
});

test("a version can be copied from any of many", async () => {
  const { api } = it.petra;
  const first = await published(api, {
    name: "Many",
    upstream: it.backEnd.url,
    plans: ["business"],
  });
  const params = { path: { api: first.api } };
  // More than a page of the list.
  for (let number = 1; number <= 55; number += 1) {
    const body = { name: `0.${number}` };
    await done(api.POST("/api/v1/apis/{api}/versions", { params, body }));
  }
  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/publish/apis/${first.api}`);
    await page.getByRole("button", { name: "New version…" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("2.0");
    await dialog.getByRole("button", { name: /Copy from$/ }).click();
    expect(await page.getByRole("option").count()).toBe(56);
    await page.getByRole("option", { name: /^1\.0/ }).click();
    await dialog.getByRole("button", { name: "Create version" }).click();
    await page.getByRole("heading", { level: 1, name: "Many 2.0" }).waitFor();
    await page.getByRole("link", { name: "Operations", exact: true }).click();
    // An operation of the oldest version, which only the second page of the list has.
    await page.getByRole("row", { name: /\/things/ }).waitFor();
  });
});
