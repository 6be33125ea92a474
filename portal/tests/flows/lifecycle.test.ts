// A second version to its first call, and the end of the first one: created from 1.0, published
// with its subscriptions while 1.0 is deprecated; the developer sees the countdown, and what the
// publisher changes about it, and moves; 1.0 is retired, and 2.0 becomes the default version.

import type { Request, Route } from "playwright-core";
import { expect, test } from "vitest";
import { published } from "../support/apis";
import { cardOf } from "../support/browser";
import { refuse } from "../support/failing";
import { fadedIn, hold, placesOf } from "../support/held";
import { asPerson, publisherStage } from "../support/publisher";
import { done, move } from "../support/seed";

const it = publisherStage();
const DAY_MS = 86_400_000;

/** A day this far ahead, at noon, as in a `datetime-local` input; pages use UTC. */
const noonIn = (days: number) =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T12:00`;

/** Publishes an API, subscribes dora's application to it and calls it. */
async function inUse() {
  const dora = await it.tollgate.person("dora", "developer");
  const wanted = { name: "Visits", upstream: it.backEnd.url, plans: ["business"] };
  const { api, version } = await published(it.petra.api, wanted);
  const application = await subscriberOf(dora.api, version, "Shop front");
  await subscriberOf(dora.api, version, "Nightly report");
  const params = { path: { application } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(dora.api.POST(keys, { params, body: { name: "till" } }));
  const call = async (named: string) => {
    const url = `${it.tollgate.gateway}/visits/${named}/things`;
    return (await fetch(url, { headers: { apikey: key ?? "" } })).status;
  };
  return { dora, api, version, application, call };
}

async function subscriberOf(api: typeof it.petra.api, version: string, name: string) {
  const { id } = await done(api.POST("/api/v1/applications", { body: { name } }));
  const body = { application: id, version, plan: "business" };
  await done(api.POST("/api/v1/subscriptions", { body }));
  return id;
}

type Flow = Parameters<typeof asPerson>[2];

test("a second version succeeds the first, which is deprecated and retired", async () => {
  const began = performance.now();
  const print = (step: string) =>
    console.log(`flow: ${step}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const { dora, api, version, application, call } = await inUse();
  expect(await call("1.0")).toBe(200);

  const succeed: Flow = async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/publish/apis/${api}`);
    await page.getByRole("button", { name: "New version…" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("2.0");
    await dialog.getByRole("button", { name: "Create version" }).click();
    await page.getByRole("heading", { level: 1, name: "Visits 2.0" }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByRole("button", { name: /Take over subscriptions/ }).click();
    await page.getByRole("option", { name: "2 subscriptions of 1.0" }).click();
    await dialog.getByText(/Limits per subscription, API or operation start from zero/).waitFor();
    await dialog.getByText("1.0", { exact: true }).click();
    await dialog.getByText("Make 2.0 the default version").waitFor();
    // A sunset in the past is refused at its field, and nothing is published.
    const end = dialog.getByLabel("Announced end");
    await end.fill("2020-01-01T00:00");
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await end.and(page.locator("[aria-invalid=true]")).waitFor();
    expect(await call("2.0")).toBe(404);
    await end.fill(noonIn(42));
    await dialog.getByLabel("Text for its callers").fill("2.0 counts children too.");
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is published.").waitFor();
    print("second version, to its first call");
    expect(await call("2.0")).toBe(200);
  };
  await asPerson(it, it.petra, succeed, [/status of 422/]);

  await asPerson(it, dora, async ({ page }) => {
    const countdown = page.getByText(/ends in 42 days, on /).first();
    await page.goto("/");
    await page.getByRole("link", { name: "Visits" }).first().waitFor();
    const cards = page.getByRole("list", { name: "APIs" }).getByRole("heading");
    expect(await cards.count()).toBe(1);
    await page.getByRole("button", { name: /Deprecated versions$/ }).click();
    await page.getByRole("option", { name: "Show deprecated" }).click();
    await page.getByText("/visits/1.0").waitFor();
    await page.goto(`/applications/${application}`);
    await countdown.waitFor();
    await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
    const row = page.getByRole("row", { name: /^Visits 1\.0/ });
    await row.getByText(/ends in 42 days, on /).waitFor();
    await row.getByRole("link", { name: "Visits 1.0" }).click();
    await countdown.waitFor();
    await page.getByText("2.0 counts children too.").waitFor();
    await page.getByRole("link", { name: "Try it" }).click();
    await countdown.waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const answer = page.getByText("200 OK", { exact: true });
    await answer.waitFor();
    await page.getByText(/^\d+ headers/).click();
    for (const field of ["deprecation", "sunset", "link"]) {
      await page.getByText(field, { exact: true }).first().waitFor();
    }
    await page.getByText(/<\/visits\/2\.0>; rel="successor-version"/).waitFor();
    await page.getByRole("link", { name: "See 2.0" }).click();
    await page.getByRole("heading", { level: 1, name: "Visits 2.0" }).waitFor();
    print("countdown, header fields, successor");
  });

  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}`);
    await cardOf(page, /^Deprecation$/)
      .getByRole("button", { name: "Edit…" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Deprecation of Visits 1.0" });
    const end = dialog.getByLabel("Announced end");
    const note = dialog.getByLabel("Text for its callers");
    expect(await end.inputValue()).toBe(noonIn(42));
    expect(await note.inputValue()).toBe("2.0 counts children too.");
    await end.fill(noonIn(21));
    await note.fill("The counters are replaced sooner.");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. Responses announce it.").waitFor();
    await page.getByText("The counters are replaced sooner.").waitFor();
    const { headers } = await fetch(`${it.tollgate.gateway}/visits/1.0/things`);
    expect(headers.get("sunset")).toBe(new Date(`${noonIn(21)}Z`).toUTCString());
  });
  await asPerson(it, dora, async ({ page }) => {
    await page.goto(`/apis/${version}`);
    await page
      .getByText(/ends in 21 days, on /)
      .first()
      .waitFor();
    await page.getByText("The counters are replaced sooner.").waitFor();
    await page.getByRole("link", { name: "See 2.0" }).first().waitFor();
    expect(await page.getByText("2.0 counts children too.").count()).toBe(0);
    print("deprecation changed");
  });

  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/publish/versions/${version}`);
    const callers = page.getByRole("table", { name: "Who still calls it" });
    await callers.getByRole("row", { name: /Nightly report.*no calls/ }).waitFor();
    const states = page.getByRole("list", { name: "Lifecycle" });
    await states.getByText(/ends 2 subscriptions of 2 applications/).waitFor();
    await page.getByRole("button", { name: "Retire…" }).click();
    // Without a next default, 1.0 is called no more, by no path.
    await dialog.getByRole("button", { name: /Default version$/ }).click();
    await page.getByRole("option", { name: /^None/ }).click();
    await dialog.getByText(/ subscribed to 1\.0 can no longer call it at all:$/).waitFor();
    await dialog.getByRole("button", { name: /Default version$/ }).click();
    await page.getByRole("option", { name: /^2\.0/ }).click();
    const retire = dialog.getByRole("button", { name: "Retire", exact: true });
    const name = dialog.getByLabel("Type “Visits 1.0” to confirm");
    await name.fill("Visits 2.0");
    expect(await retire.isDisabled()).toBe(true);
    await name.fill("Visits 1.0");
    await dialog.getByText("2.0 is served at /visits/… if the path names no version.").waitFor();
    await dialog.getByLabel("Reason").fill("nobody calls it");
    await retire.click();
    await page.getByText("It is retired.").waitFor();
    expect(await call("1.0")).toBe(404);
    expect(await call("2.0")).toBe(200);
    print("retired");
  });
  await asPerson(it, dora, async ({ page }) => {
    await page.goto(`/applications/${application}`);
    const name = "Retired versions that this application was subscribed to";
    const retired = page.getByRole("list", { name });
    await retired.getByText(/^Visits 1\.0 retired on .* 20\d\d\. See 2\.0/).waitFor();
    await retired.getByText("The counters are replaced sooner.").waitFor();
    await retired.getByRole("link", { name: "See 2.0" }).waitFor();
  });

  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await page.goto(`/publish/apis/${api}`);
    await page.getByRole("row", { name: /^2\.0 .*default/ }).waitFor();
    await page.getByRole("button", { name: "Delete 1.0" }).click();
    const name = dialog.getByLabel("Type “Visits 1.0” to confirm");
    await name.fill("Visits 1.0");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Visits 1.0 is deleted.").waitFor();
    await page.getByRole("row", { name: /^1\.0/ }).waitFor({ state: "detached" });
    print("deleted");
  });
});

test("whoever lacks the next default version is named before it changes", async () => {
  const erin = await it.tollgate.person("erin", "developer");
  const wanted = { name: "Beds", upstream: it.backEnd.url, plans: ["business"] };
  const { api, version } = await published(it.petra.api, wanted);
  await subscriberOf(erin.api, version, "Ward board");
  const params = { path: { api } };
  const next = { name: "2.0", from: version };
  const made = await done(it.petra.api.POST("/api/v1/apis/{api}/versions", { params, body: next }));
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${made.id}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    const lacking = dialog.getByRole("list", {
      name: "Applications without a subscription to the default version",
    });
    await dialog.getByText("Make 2.0 the default version").click();
    await lacking.getByText("Ward board of erin").waitFor();
    // Its subscription moves along.
    await dialog.getByRole("button", { name: /Take over subscriptions/ }).click();
    await page.getByRole("option", { name: "1 subscription of 1.0" }).click();
    await lacking.waitFor({ state: "detached" });
    await dialog.getByText("2.0 is served at /beds/… if the path names no version.").waitFor();
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is published.").waitFor();
    await page.getByText("also served without the version in the path").waitFor();
    await page.goto(`/publish/versions/${version}`);
    await page.getByText("not served without the version in the path").waitFor();
  });
});

test("another choice moves nothing, and is confirmed once whom it refuses is shown", async () => {
  const finn = await it.tollgate.person("finn", "developer");
  const wanted = { name: "Wards", upstream: it.backEnd.url, plans: ["business"] };
  const { api, version } = await published(it.petra.api, wanted);
  await subscriberOf(finn.api, version, "Night desk");
  const params = { path: { api } };
  const next = { name: "2.0", from: version };
  const made = await done(it.petra.api.POST("/api/v1/apis/{api}/versions", { params, body: next }));
  await asPerson(it, it.petra, async ({ page }) => {
    const dialog = page.getByRole("dialog");
    const publish = dialog.getByRole("button", { name: "Publish", exact: true });
    const effect = dialog.getByRole("region", { name: "Calls without a version in the path" });
    const places = () => placesOf(publish, dialog.getByLabel("Reason"), effect);
    await page.goto(`/publish/versions/${made.id}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    await effect.getByText("The default version does not change.").waitFor();
    await fadedIn(dialog);
    await expect.poll(() => publish.isEnabled()).toBe(true);
    const before = await places();
    const tries = "**/lifecycle?dry_run=true";
    const release = await hold(page, tries, isOf({ default: made.id }));
    await dialog.getByText("Make 2.0 the default version").click();
    await expect.poll(() => publish.isDisabled()).toBe(true);
    expect(await places()).toEqual(before);
    release();
    await effect.getByText("Night desk of finn").waitFor();
    await expect.poll(() => publish.isEnabled()).toBe(true);
    expect(await places()).toEqual(before);

    // What was shown stays until the next dry run has arrived.
    const releaseMove = await hold(page, tries, isOf({ from: version }));
    await dialog.getByRole("button", { name: /Take over subscriptions/ }).click();
    await page.getByRole("option", { name: "1 subscription of 1.0" }).click();
    await expect.poll(() => publish.isDisabled()).toBe(true);
    await effect.getByText("Night desk of finn").waitFor();
    releaseMove();
    await effect.getByText("Night desk of finn").waitFor({ state: "detached" });
    await expect.poll(() => publish.isEnabled()).toBe(true);
  });
});

/** Whether the body of a request has these members. */
const isOf = (members: Readonly<Record<string, string>>) => (request: Request) => {
  const body = (request.postDataJSON() ?? {}) as Record<string, unknown>;
  return Object.entries(members).every(([name, value]) => body[name] === value);
};

test("a step waits for the other versions, of which it proposes the default one", async () => {
  const wanted = { name: "Rooms", upstream: it.backEnd.url, plans: ["business"] };
  const { api, version } = await published(it.petra.api, wanted);
  const params = { path: { api } };
  const next = { name: "2.0", from: version };
  const made = await done(it.petra.api.POST("/api/v1/apis/{api}/versions", { params, body: next }));
  await move(it.petra.api, made.id, "published");
  await move(it.petra.api, version, "deprecated");
  const flow: Flow = async ({ page }) => {
    const dialog = page.getByRole("dialog");
    const retire = dialog.getByRole("button", { name: "Retire", exact: true });
    const isOfVersions = (url: URL) =>
      url.pathname === "/api/v1/versions" && url.searchParams.get("api") === api;
    const fail = (route: Route) => refuse(route, 429, "busy", "too many requests");
    const edit = page.getByRole("button", { name: "Edit…" });
    const save = dialog.getByRole("button", { name: "Save", exact: true });
    await page.goto(`/publish/versions/${version}`);
    await page.getByRole("button", { name: "Retire…" }).waitFor();
    await page.route(isOfVersions, fail);
    await edit.click();
    await dialog.getByText("Too many requests.").waitFor();
    expect(await save.count()).toBe(0);
    await page.unroute(isOfVersions, fail);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByRole("button", { name: /Successor$/ }).click();
    await page.getByRole("option", { name: /^2\.0/ }).click();
    await save.click();
    await page.getByText("Saved. Responses announce it.").waitFor();

    await page.reload();
    await page.route(isOfVersions, fail);
    await page.getByRole("button", { name: "Retire…" }).click();
    await dialog.getByText("Too many requests.").waitFor();
    expect(await retire.count()).toBe(0);
    await page.unroute(isOfVersions, fail);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await retire.waitFor();
    await dialog.getByText("2.0 is served at /rooms/… if the path names no version.").waitFor();
    // Nobody is subscribed, so nothing has to be typed.
    await expect.poll(() => retire.isEnabled()).toBe(true);
    expect(await dialog.getByLabel(/^Type /).count()).toBe(0);
  };
  await asPerson(it, it.petra, flow, [/status of 429/]);
});

test("what is missing for a step is listed at once, with links", async () => {
  const body = { name: "Empty", context: "/empty", version: "1.0" };
  const made = await done(it.petra.api.POST("/api/v1/apis", { body }));
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${made.version.id}`);
    const publish = page.getByRole("listitem").filter({ hasText: "Publish:" });
    for (const need of ["add or enable an operation", "set an upstream", "choose a plan"]) {
      await publish.getByRole("link", { name: need }).waitFor();
    }
    expect(await page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
    await publish.getByRole("link", { name: "set an upstream" }).click();
    await page.getByLabel("Address", { exact: true }).first().waitFor();
  });
});

test("a step that only access tokens could use names what to change", async () => {
  const wanted = { name: "Tokens", upstream: it.backEnd.url, plans: ["business"] };
  const draft = { security: { oauth2: {} } };
  const { api, version } = await published(it.petra.api, { ...wanted, draft });
  const params = { path: { api } };
  const next = { name: "2.0", from: version };
  const made = await done(it.petra.api.POST("/api/v1/apis/{api}/versions", { params, body: next }));
  const flow: Flow = async ({ page }) => {
    await page.goto(`/publish/versions/${made.id}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("link", { name: /another credential/ }).waitFor();
    // What it changes is known before that is accepted.
    await dialog.getByText("The default version does not change.").waitFor();
    await dialog.getByText("Make 2.0 the default version").click();
    await dialog.getByText("2.0 is served at /tokens/… if the path names no version.").waitFor();
    await dialog.getByText("Continue without access tokens").click();
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("It is published.").waitFor();
  };
  await asPerson(it, it.petra, flow, [/status of 409/]);
});
