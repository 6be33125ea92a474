// An application moves to the successor of a deprecated version in two clicks: the dialog shows
// what breaks, and the same key calls both versions. If the successor does not offer the plan, the
// dialog asks for another one; scopes by approval are named. Nothing can be confirmed before what
// breaks is shown, and a subscription that is blocked is no finished move.

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { published } from "../support/apis";
import { asPerson, publisherStage } from "../support/publisher";
import { fadedIn, hold, placesOf } from "../support/held";
import { change, done } from "../support/seed";
import type { Api } from "../support/tollgate";

const it = publisherStage();
const GET_ALL = { method: "GET", path: "/things", summary: "All things" };
const GET_OLD = { method: "GET", path: "/old", summary: "Old things" };

/** Publishes an API with a scope by approval. */
async function first(api: Api, name = "Parcels") {
  const scopes = { "things:admin": { granted: "by_approval" } };
  const draft = {
    operations: [GET_ALL, GET_OLD],
    security: { require: "any", api_key: {}, oauth2: {}, scopes },
  };
  const plans = ["business", "unlimited"];
  return published(api, { name, upstream: it.backEnd.url, plans, draft });
}

/** Publishes version 2.0 without the old operation and with one plan, and deprecates 1.0. */
async function second(api: Api, id: string, version: string) {
  const params = { path: { api: id } };
  const body = { name: "2.0", from: version };
  const made = await done(api.POST("/api/v1/apis/{api}/versions", { params, body }));
  await change(api, made.id, { operations: [GET_ALL] });
  const path = { params: { path: { version: made.id } } };
  await done(api.PUT("/api/v1/versions/{version}/plans", { ...path, body: ["business"] }));
  const step = { to: "published" as const, deprecate: { versions: [version] } };
  await done(api.POST("/api/v1/versions/{version}/lifecycle", { ...path, body: step }));
  return made.id;
}

/** Subscribes a new application; returns its id, its subscription, and how it calls a version. */
async function consumer(api: Api, version: string, plan: string) {
  const { id: application } = await done(
    api.POST("/api/v1/applications", { body: { name: plan } }),
  );
  const body = { application, version, plan };
  const { id } = await done(api.POST("/api/v1/subscriptions", { body }));
  const params = { path: { application } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(keys, { params, body: { name: "till" } }));
  const headers = { apikey: key ?? "" };
  const call = async (named: string) =>
    (await fetch(`${it.tollgate.gateway}/parcels/${named}/things`, { headers })).status;
  return { application, subscription: id, call };
}

const MOVE = "Move to 2.0";
const moved = (page: Page) => page.getByRole("link", { name: "Subscribed to 2.0 too" });
const confirm = (dialog: Locator) => dialog.getByRole("button", { name: MOVE, exact: true });

test("an application moves to the successor and keeps its key", async () => {
  const dora = await it.tollgate.person("dora", "developer");
  const { api, version } = await first(it.petra.api);
  const kept = await consumer(dora.api, version, "business");
  const asked = await consumer(dora.api, version, "unlimited");
  const params = { path: { subscription: asked.subscription } };
  const grant = { params, body: ["things:admin"] };
  await done(it.petra.api.PUT("/api/v1/subscriptions/{subscription}/scopes", grant));
  await second(it.petra.api, api, version);
  expect(await kept.call("2.0")).toBe(403);

  await asPerson(it, dora, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/applications/${kept.application}`);
    await page.getByRole("button", { name: MOVE }).click();
    await dialog.getByText("1 change breaks calls").waitFor();
    await dialog.getByText("/old", { exact: true }).waitFor();
    await dialog.getByText(/must approve these scopes before .*: things:admin/).waitFor();
    await dialog.getByText(/The subscription to 1\.0 stays until you end it/).waitFor();
    await confirm(dialog).click();
    await page.getByText(/is subscribed to Parcels 2\.0/).waitFor();
    await moved(page).waitFor();
    // The button that opened the dialog is gone; the focus is where it was.
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("Subscribed to 2.0 too");
    for (const named of ["1.0", "2.0"]) expect(await kept.call(named)).toBe(200);

    await page.goto(`/apis/${version}`);
    await moved(page).waitFor();
    await page.getByRole("link", { name: "See 2.0" }).first().waitFor();
    await page.getByRole("button", { name: MOVE }).click();
    await dialog.getByText(/must approve these anew: things:admin/).waitFor();
    expect(await confirm(dialog).isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: /Plan$/ }).click();
    await page.getByRole("option", { name: /^Business/ }).click();
    await confirm(dialog).click();
    await page.getByText(/is subscribed to Parcels 2\.0/).waitFor();
    for (const named of ["1.0", "2.0"]) expect(await asked.call(named)).toBe(200);

    await page.goto(`/applications/${asked.application}/subscriptions`);
    const row = (name: string) => page.getByRole("row", { name: `Parcels ${name}` });
    await row("2.0").waitFor();
    await row("1.0").getByText("Subscribed to 2.0 too").waitFor();
  });
  const { total } = await done(dora.api.GET("/api/v1/applications"));
  expect(total).toBe(2);
});

test("a move is confirmed once what it breaks is shown, and finished once it is active", async () => {
  const eve = await it.tollgate.person("eve", "developer");
  const { api, version } = await first(it.petra.api, "Letters");
  const { application } = await consumer(eve.api, version, "business");
  const next = await second(it.petra.api, api, version);
  // The publisher's block outlives the subscription.
  const body = { application, version: next, plan: "business" };
  const { id } = await done(eve.api.POST("/api/v1/subscriptions", { body }));
  const subscriptions = "/api/v1/subscriptions/{subscription}";
  const params = { path: { subscription: id } };
  await done(it.petra.api.PATCH(subscriptions, { params, body: { status: "blocked" } }));
  await done(eve.api.DELETE(subscriptions, { params }));

  await asPerson(it, eve, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    const cancel = dialog.getByRole("button", { name: "Cancel" });
    const places = () => placesOf(confirm(dialog), cancel);
    const release = await hold(page, "**/api/v1/catalogue/*/difference?*");
    await page.goto(`/applications/${application}`);
    const entries = [version, next].map((id) =>
      page.waitForResponse((response) => response.url().endsWith(`/api/v1/catalogue/${id}`)),
    );
    await page.getByRole("button", { name: MOVE }).click();
    await Promise.all([...entries, fadedIn(dialog)]);
    expect(await confirm(dialog).isDisabled()).toBe(true);
    const before = await places();
    release();
    await dialog.getByText("1 change breaks calls").waitFor();
    await expect.poll(() => confirm(dialog).isEnabled()).toBe(true);
    expect(await places()).toEqual(before);

    await confirm(dialog).click();
    await page.getByText(/^The subscription of business to Letters 2\.0 is blocked\./).waitFor();
    const ending = page.getByRole("listitem").filter({ hasText: "Letters 1.0" });
    await ending.getByRole("link", { name: "See 2.0" }).waitFor();
    await ending.getByText("blocked", { exact: true }).waitFor();
    expect(await moved(page).count()).toBe(0);
  });
});
