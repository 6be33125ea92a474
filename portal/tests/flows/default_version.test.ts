// Another version becomes the default one of an API, and the default one is deleted: both once the
// applications that are refused then are shown.

import { expect, test } from "vitest";
import { published } from "../support/apis";
import { fadedIn, hold, placesOf } from "../support/held";
import { asPerson, publisherStage } from "../support/publisher";
import { done, move } from "../support/seed";
import type { Api } from "../support/tollgate";

const it = publisherStage();
const LOADING = "Loading";
const EFFECT = "Calls without a version in the path";

/** Publishes an API, subscribes an application to it, and creates version 2.0. */
async function twoVersions(name: string, owner: Api, application: string) {
  const { api: publisher } = it.petra;
  const wanted = { name, upstream: it.backEnd.url, plans: ["business"] };
  const { api, version } = await published(publisher, wanted);
  const made = await done(owner.POST("/api/v1/applications", { body: { name: application } }));
  const body = { application: made.id, version, plan: "business" };
  await done(owner.POST("/api/v1/subscriptions", { body }));
  const params = { path: { api } };
  const next = { name: "2.0", from: version };
  const second = await done(publisher.POST("/api/v1/apis/{api}/versions", { params, body: next }));
  return { api, first: version, second: second.id };
}

test("another version becomes the default one once whom it refuses is shown", async () => {
  const gail = await it.tollgate.person("gail", "developer");
  const { api, second } = await twoVersions("Halls", gail.api, "Door sign");
  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog", { name: "Make Halls 2.0 the default version?" });
    const make = dialog.getByRole("button", { name: "Make default", exact: true });
    const open = page.getByRole("button", { name: "Make 2.0 the default version" });
    await page.goto(`/publish/apis/${api}`);
    await open.click();
    await dialog.getByText(/^It is a draft: calls of \/halls\/… get 404 /).waitFor();
    await dialog.getByText("Door sign of gail").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await move(it.petra.api, second, "published");
    await page.reload();
    const release = await hold(page, "**/lifecycle?dry_run=true");
    await open.click();
    await dialog.getByLabel(LOADING, { exact: true }).waitFor();
    expect(await make.count()).toBe(0);
    release();
    await dialog.getByText("1 application subscribed to 1.0 but not to 2.0").waitFor();
    await dialog.getByText("Door sign of gail").waitFor();
    await make.click();
    await page.getByText("2.0 is the default version.").waitFor();
    await page.getByRole("row", { name: /^2\.0 .*default/ }).waitFor();
    expect(await open.count()).toBe(0);
  });
});

test("the default version is deleted once the effect of the choice is shown", async () => {
  const hugo = await it.tollgate.person("hugo", "developer");
  const { api, first, second } = await twoVersions("Yards", hugo.api, "Gate");
  const { api: publisher } = it.petra;
  const params = { path: { version: first } };
  await move(publisher, second, "published");
  // The default version becomes a draft, and the default one again.
  const body = { to: "created" as const, default: second };
  await done(publisher.POST("/api/v1/versions/{version}/lifecycle", { params, body }));
  await done(publisher.POST("/api/v1/versions/{version}/default", { params }));
  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog", { name: "Delete Yards 1.0?" });
    const remove = dialog.getByRole("button", { name: "Delete", exact: true });
    const effect = dialog.getByRole("region", { name: EFFECT });
    const typed = dialog.getByLabel("Type “Yards 1.0” to confirm");
    const places = () => placesOf(remove, typed, effect);
    await page.goto(`/publish/apis/${api}`);
    const release = await hold(page, `**/versions/${first}?dry_run=true&default=${second}`);
    await page.getByRole("button", { name: "Delete 1.0" }).click();
    await dialog.getByLabel(LOADING, { exact: true }).waitFor();
    expect(await remove.count()).toBe(0);
    release();
    await effect.getByText("2.0 is served at /yards/… if the path names no version.").waitFor();
    await typed.fill("Yards 1.0");
    await expect.poll(() => remove.isEnabled()).toBe(true);
    await fadedIn(dialog);
    const before = await places();

    const releaseNone = await hold(page, `**/versions/${first}?dry_run=true&default=null`);
    await dialog.getByRole("button", { name: /Default version$/ }).click();
    await page.getByRole("option", { name: /^None/ }).click();
    await expect.poll(() => remove.isDisabled()).toBe(true);
    // What was shown stays until the next dry run has arrived.
    await effect.getByText(/^2\.0 is served at /).waitFor();
    expect(await places()).toEqual(before);
    releaseNone();
    await effect.getByText("Calls of /yards/… get 404 if the path names no version.").waitFor();
    await expect.poll(() => remove.isEnabled()).toBe(true);
    expect(await places()).toEqual(before);
    await remove.click();
    await page.getByText("Yards 1.0 is deleted.").waitFor();
    await page.getByRole("row", { name: /^1\.0/ }).waitFor({ state: "detached" });
    expect(await page.getByText("default", { exact: true }).count()).toBe(0);
  });
});
