// A version is blocked, and the next call is refused within a second; it is published again. The
// same of a subscription.

import { expect, test } from "vitest";
import { done, importOrders, publish } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();
const SOON_MS = 1_000;

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

/** Waits until calls are answered so, and says how long that took. */
async function until(status: () => Promise<number>, wanted: number): Promise<number> {
  const began = Date.now();
  while ((await status()) !== wanted && Date.now() - began < 2 * SOON_MS) continue;
  return Date.now() - began;
}

test("blocked, refused within a second, published again; a subscription likewise", async () => {
  const { version, status } = await subscribed();
  expect(await status()).toBe(200);
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}`);
    await page.getByRole("button", { name: "Block…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("dl").getByText("1", { exact: true }).first().waitFor();
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    const tookMs = await until(status, 503);
    console.info(`blocked: refused after ${tookMs} ms`);
    expect(await status()).not.toBe(200);
    expect(tookMs).toBeLessThan(SOON_MS);
    await page.getByText("It is blocked.").waitFor();

    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is published.").waitFor();
    expect(await until(status, 200)).toBeLessThan(SOON_MS);

    await page.getByRole("link", { name: "Subscriptions" }).click();
    await page.getByRole("button", { name: "Block the subscription of Shop front" }).click();
    await dialog.getByLabel("Reason").fill("too many calls at night");
    await dialog.getByRole("button", { name: "Block", exact: true }).click();
    expect(await until(status, 403)).toBeLessThan(SOON_MS);
    await page.getByRole("button", { name: "Unblock the subscription of Shop front" }).click();
    await dialog.getByRole("button", { name: "Unblock", exact: true }).click();
    expect(await until(status, 200)).toBeLessThan(SOON_MS);
  });
});
