// A document becomes a new version of an API: proposed by the import, or chosen on the API's page.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CHANGED_ORDERS } from "../support/documents";
import { asPerson, publisherStage } from "../support/publisher";
import { done, importOrders, publish } from "../support/seed";

const it = publisherStage();

const read = async (page: Page, document: string) => {
  await page.getByLabel("Document", { exact: true }).fill(document);
  await page.getByRole("button", { name: "Read", exact: true }).click();
};

test("the import of a known name proposes a version; the API's page takes any document", async () => {
  const { api } = it.petra;
  const first = await importOrders(api);
  await publish(api, first.version, it.backEnd.url);
  const upstreamOf = async (version: string) => {
    const params = { path: { version } };
    return (await done(api.GET("/api/v1/versions/{version}/draft", { params }))).upstream?.url;
  };
  await asPerson(it, it.petra, async ({ page, apiCalls }) => {
    await page.goto("/publish/new");
    const began = performance.now();
    // The version that the document names exists already.
    await read(page, CHANGED_ORDERS.replace('"1.1"', '"1.0"'));
    await page.getByText("Orders has a version 1.0 already.").waitFor();
    await page.getByLabel("Version name").fill("1.1");
    const create = page.getByRole("button", { name: "Create version 1.1" });
    await create.dblclick();
    await page.getByRole("heading", { level: 1, name: "Orders 1.1" }).waitFor();
    const seconds = (performance.now() - began) / 1_000;
    console.log(`flow: new version by import: ${seconds.toFixed(1)} s`);
    const posts = apiCalls.filter((call) => call === `POST /api/v1/apis/${first.api}/versions`);
    expect(posts).toHaveLength(1);
    const made = page.url().split("/").at(-1) ?? "";
    // Copied from the version that was there.
    expect(await upstreamOf(made)).toBe(it.backEnd.url);
    await page.getByRole("link", { name: "Operations", exact: true }).click();
    await page.getByRole("row", { name: /\/orders\/\{order\}\/parcels/ }).waitFor();

    await page.goto(`/publish/apis/${first.api}`);
    await page.getByRole("button", { name: "New version…" }).click();
    await page.getByRole("link", { name: "From another OpenAPI document instead" }).click();
    await read(
      page,
      CHANGED_ORDERS.replace("title: Orders", "title: Another title").replace('"1.1"', '"2.0"'),
    );
    await page.getByRole("heading", { name: "New version of Orders" }).waitFor();
    await page.getByRole("button", { name: /Copy settings from$/ }).click();
    await page.getByRole("option", { name: "1.0" }).click();
    await page.getByRole("button", { name: "Create version 2.0" }).click();
    await page.getByRole("heading", { level: 1, name: "Orders 2.0" }).waitFor();
  });
});

test("the document can become another API instead", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto("/publish/new");
    await read(page, CHANGED_ORDERS.replace('"1.1"', '"3.0"'));
    await page.getByRole("button", { name: "Publish as another API" }).click();
    await page.getByText("Your other API has this name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Orders again");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByRole("heading", { level: 1, name: "Orders again 3.0" }).waitFor();
  });
});
