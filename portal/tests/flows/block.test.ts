// A version is blocked, and calls are refused; it is published again. The same for a subscription.
// The delay is printed, not checked: the browser and the service share the machine with other tests
// (the product test `alone::change` checks it).

import { expect, test } from "vitest";
import { done, importOrders, publish } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();
const PATIENCE_MS = 30_000;

async function subscribed(): Promise<{ version: string; status: () => Promise<number> }> {
  const { api } = it.petra;
  const { version } = await importOrders(api);
  await publish(api, version, it.backEnd.url);
  const application = await done(
    api.POST("/api/v1/applications", { body: { name: "Shop front" } }),
  );
  const body = { application: application.id, version, plan: "business" };
  await done(api.POST("/api/v1/subscriptions", { body }));
  const params = { path: { application: application.id } };
  const key = await done(
    api.POST("/api/v1/applications/{application}/keys", { params, body: { name: "key" } }),
  );
  const call = { headers: { apikey: key.key ?? "" } };
  const url = `${it.tollgate.gateway}/orders/1.0/orders`;
  return { version, status: async () => (await fetch(url, call)).status };
}

/** Waits until calls return a status, and prints how long that took. */
async function until(status: () => Promise<number>, expected: number): Promise<void> {
  const began = Date.now();
  let last = await status();
  while (last !== expected && Date.now() - began < PATIENCE_MS) last = await status();
  expect(last).toBe(expected);
  console.info(`calls are answered with ${expected} after ${Date.now() - began} ms`);
}

test("blocked, refused, published again; a subscription likewise", async () => {
  const { version, status } = await subscribed();
  expect(await status()).toBe(200);
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}`);
    // A step that overtakes its own dry run makes that fail.
    const open = async (step: string) => {
      const tried = page.waitForResponse((it) => it.url().endsWith("/lifecycle?dry_run=true"));
      await page.getByRole("button", { name: step }).click();
      await tried;
    };
    await open("Block…");
    const dialog = page.getByRole("dialog");
    await dialog.locator("dl").getByText("1", { exact: true }).first().waitFor();
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await until(status, 503);
    await page.getByText("It is blocked.").waitFor();

    await open("Publish…");
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is published.").waitFor();
    await until(status, 200);

    await page.getByRole("link", { name: "Subscriptions" }).click();
    await page.getByRole("button", { name: "Block the subscription of Shop front" }).click();
    await dialog.getByLabel("Reason").fill("too many calls at night");
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    await until(status, 403);
    await page.getByRole("button", { name: "Unblock the subscription of Shop front" }).click();
    await dialog.getByRole("button", { name: "Unblock", exact: true }).click();
    await until(status, 200);
  });
});
