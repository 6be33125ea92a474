// A subscription gets another plan, and its limits apply at once; then it ends, after the dialog
// has shown the impact. A rejected one is requested again, and works once it is approved.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { done } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";
import { setStatus } from "../support/status";

const it = publisherStage();
const LIMIT = 2;

test("another plan applies at once; calls are refused after unsubscribing", async () => {
  const { api } = it.petra;
  const limits = [{ per: "subscription" as const, amount: LIMIT, window: "day" as const }];
  const few = { name: "few", title: "Few", description: "", limits };
  await done(it.tollgate.administrator.api.POST("/api/v1/plans", { body: few }));
  const wanted = { name: "Orders", upstream: it.backEnd.url, plans: ["unlimited", "few"] };
  const { version, path } = await published(api, wanted);
  const { id: application } = await done(
    api.POST("/api/v1/applications", { body: { name: "Shop" } }),
  );
  const subscription = { application, version, plan: "unlimited" };
  await done(api.POST("/api/v1/subscriptions", { body: subscription }));
  const params = { path: { application } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(keys, { params, body: { name: "till" } }));
  const headers = { apikey: key ?? "" };
  const call = async () =>
    (await fetch(`${it.tollgate.gateway}${path}/things`, { headers })).status;
  for (let calls = 0; calls <= LIMIT; calls += 1) expect(await call()).toBe(200);

  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/applications/${application}/subscriptions`);
    await page.getByRole("button", { name: "Change plan: Orders 1.0" }).click();
    await dialog.getByRole("button", { name: /Plan$/ }).click();
    await page.getByRole("option", { name: /^Few/ }).click();
    await dialog.getByRole("button", { name: "Change plan", exact: true }).click();
    await page.getByText("Plan changed.").waitFor();
    await page.getByRole("row", { name: "Orders 1.0" }).getByText("Few", { exact: true }).waitFor();
    for (let calls = 0; calls < LIMIT; calls += 1) expect(await call()).toBe(200);
    expect(await call()).toBe(429);

    await page.getByRole("button", { name: "Unsubscribe: Orders 1.0" }).click();
    const counts = dialog.locator("dd");
    await counts.first().waitFor();
    expect(await counts.allTextContents()).toEqual(["1", "1", String(2 * LIMIT + 2)]);
    await dialog.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await page.getByText("Subscription ended.").waitFor();
    await page.getByText("This application has no subscriptions yet.").waitFor();
    expect(await call()).toBe(403);
  });
});

test("a rejected subscription is requested again, and works once it is approved", async () => {
  const dora = await it.tollgate.person("dora", "developer");
  const wanted = { name: "Returns", upstream: it.backEnd.url, plans: ["unlimited"] };
  const { version, path } = await published(it.petra.api, wanted);
  const { id: application } = await done(
    dora.api.POST("/api/v1/applications", { body: { name: "Shop" } }),
  );
  const body = { application, version, plan: "unlimited" };
  const { id } = await done(dora.api.POST("/api/v1/subscriptions", { body }));
  const params = { path: { application } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(dora.api.POST(keys, { params, body: { name: "till" } }));
  const headers = { apikey: key ?? "" };
  const call = async () =>
    (await fetch(`${it.tollgate.gateway}${path}/things`, { headers })).status;
  await setStatus(it.tollgate, id, "pending");
  const decide = async (button: string) => {
    await asPerson(it, it.petra, async ({ page }) => {
      await page.goto(`/publish/versions/${version}/subscriptions`);
      await page.getByRole("button", { name: button }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Reason").fill(`${button}: no contract`);
      await dialog.getByRole("button", { name: button, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    });
  };
  await decide("Reject");
  await asPerson(it, dora, async ({ page }) => {
    await page.goto(`/applications/${application}/subscriptions`);
    await page.getByRole("button", { name: "Request again: Returns 1.0" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Reject: no contract").waitFor();
    await dialog.getByRole("button", { name: "Request again", exact: true }).click();
    await page.getByRole("row", { name: "Returns 1.0" }).getByText("pending approval").waitFor();
    expect(await call()).toBe(403);
  });
  await decide("Approve");
  expect(await call()).toBe(200);
});
