// The policies of a version: added, moved, rejected at their fields, tried, deployed, and seen.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addStep } from "../states";
import { published } from "../support/apis";
import { cardOf } from "../support/browser";
import { type OddBackEnd, startOddBackEnd } from "../support/odd_upstream";
import { asPerson, deployDraft, publisherStage } from "../support/publisher";
import { change, done } from "../support/seed";

const it = publisherStage();
let odd: OddBackEnd;
beforeAll(async () => {
  odd = await startOddBackEnd();
});
afterAll(() => odd.stop());

const THINGS = { method: "POST", path: "/things/{thing}", anonymous: true };

const api = (name: string, draft: object = {}) =>
  published(it.petra.api, {
    name,
    upstream: odd.url,
    plans: ["business"],
    draft: { operations: [THINGS, { method: "GET", path: "/others" }], ...draft },
  });

async function policiesOf(version: string) {
  const params = { path: { version } };
  return (await done(it.petra.api.GET("/api/v1/versions/{version}/draft", { params }))).policies;
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const row = (page: Page, name: RegExp) => page.getByRole("button", { name, expanded: false });
const heads = (page: Page) =>
  page
    .getByRole("tabpanel")
    .getByRole("listitem")
    .evaluateAll((rows) => rows.map((it) => it.querySelector("button")?.innerText));
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

test("a header and a template are tried, deployed, and seen by the back end", async () => {
  const { version, path } = await api("Shaped");
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await addStep(page, "Set header");
    // The first field of the new step has the focus.
    await page.keyboard.type("x-thing");
    await page.getByLabel("Value", { exact: true }).fill("{{ path.thing }} of {{ api.name }}");
    await addStep(page, "Rewrite path");
    await page.keyboard.type("/v2/{{ path.thing }}/all");
    await page.getByLabel("Only if").last().fill('request.query["v"] == "2"');

    await page.getByRole("tab", { name: /^Responses/ }).click();
    await addStep(page, "JSON template");
    await page.keyboard.insertText('{"of": "{{ api.name }}", "seen": ["{{ body.url }}"]}');

    const dry = page.getByRole("form", { name: "Dry run" });
    await dry.getByText("Upstream response").click();
    await dry.getByLabel("Headers").last().fill("content-type: application/json");
    await dry.getByLabel("Body").last().fill('{"url": "/seen"}');
    await dry.getByLabel("Path and query").fill("/things/blue?v=1");
    await dry.getByRole("button", { name: "Run" }).click();
    const diff = page.getByRole("region", { name: "Set header" });
    await diff.getByText("x-thing: blue of Shaped").waitFor();
    expect(await diff.locator("ins").allInnerTexts()).toEqual([
      expect.stringContaining("x-thing: blue of Shaped"),
    ]);
    await page.getByText("did not run: the condition is false").waitFor();
    await dry.getByLabel("Path and query").fill("/things/blue?v=2");
    await dry.getByRole("button", { name: "Run" }).click();
    const sent = page.getByRole("region", { name: "Request to the upstream" });
    await sent.getByText("/v2/blue/all?v=2").waitFor();
    const shaped = page.getByRole("region", { name: "JSON template" });
    expect(await shaped.locator("del").allInnerTexts()).toContainEqual(
      expect.stringContaining('"url": "/seen"'),
    );
    const answered = page.getByRole("region", { name: "Response to the caller" });
    expect(await answered.innerText()).toMatch(/"of": "Shaped",\s+"seen": \[\s*"\/seen"\s*\]/);
    // Nothing was stored or sent.
    expect(await policiesOf(version)).toBeUndefined();
    expect(odd.seen).toEqual([]);

    await save(page).click();
    await page.getByText("2 changes not deployed.").waitFor();
    await deployDraft(page);
  });
  const answer = await fetch(`${it.tollgate.gateway}${path}/things/blue?v=2`, { method: "POST" });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ of: "Shaped", seen: ["/v2/blue/all?v=2"] });
  expect(odd.seen.map(({ address }) => address)).toEqual(["/v2/blue/all?v=2"]);
  expect(odd.seen[0]?.headers["x-thing"]).toBe("blue of Shaped");
});

test("steps are moved by keyboard, buttons and mouse, duplicated, removed, and returned", async () => {
  const request = ["a", "b", "c"].map((name) => ({ policy: "let", name, value: "1" }));
  const { version } = await api("Moved", { policies: { request } });
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    const order = async () => (await heads(page)).map((head) => /var\.(\w)/.exec(head ?? "")?.[1]);
    await row(page, /var\.a/).focus();
    await page.keyboard.press("Alt+ArrowDown");
    expect(await order()).toEqual(["b", "a", "c"]);
    expect(await focused(page)).toContain("var.a");
    await page.getByText("Set variable: step 2 of 3").waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowDown");
    expect(await order()).toEqual(["b", "c", "a"]);
    await page.getByRole("button", { name: "Move up step 2, Set variable" }).click();
    expect(await order()).toEqual(["c", "b", "a"]);
    const grips = page.locator("[draggable=true]");
    await grips.nth(2).dragTo(page.getByRole("tabpanel").getByRole("listitem").first(), {
      targetPosition: { x: 100, y: 2 },
    });
    expect(await order()).toEqual(["a", "c", "b"]);
    await page.getByRole("button", { name: "Remove step 2, Set variable" }).click();
    expect(await order()).toEqual(["a", "b"]);
    expect(await focused(page)).toBe("Undo");
    await page.keyboard.press("Enter");
    expect(await order()).toEqual(["a", "c", "b"]);
    await page.getByRole("button", { name: "Duplicate step 3, Set variable" }).click();
    await save(page).click();
    await page.getByText("Saved in the draft.").waitFor();
    const saved = (await policiesOf(version))?.request as { name: string }[];
    expect(saved.map(({ name }) => name)).toEqual(["a", "c", "b", "b"]);
  });
});

test("steps are folded, moved and removed by keyboard alone", async () => {
  const request = ["a", "b"].map((name) => ({ policy: "let", name, value: "1" }));
  const { version } = await api("Keys", { policies: { request } });
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByRole("tab", { name: /^Requests/ }).focus();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const label = () =>
      page.evaluate(() => {
        const { ariaLabel, textContent } = document.activeElement ?? {};
        return ariaLabel ?? textContent ?? "";
      });
    const tabTo = async (name: RegExp) => {
      for (let stops = 0; stops < 20 && !name.test(await label()); stops += 1) await press("Tab");
      expect(await label()).toMatch(name);
    };
    await tabTo(/var\.a/);
    await press("Enter");
    await page.getByLabel("Only if").waitFor();
    await press("Enter");
    await page.getByLabel("Only if").waitFor({ state: "detached" });
    await press("Alt+ArrowDown");
    await page.getByText("Set variable: step 2 of 2").waitFor();
    expect(await label()).toMatch(/var\.a/);
    await tabTo(/^Move up step 2/);
    await press("Enter");
    // It is the first step now, and cannot be moved up: the row has the focus.
    await page.getByText("Set variable: step 1 of 2").waitFor();
    await expect.poll(label).toMatch(/var\.a/);
    await tabTo(/^Duplicate step 1/);
    await press("Enter");
    await expect.poll(async () => (await heads(page)).length).toBe(3);
    await tabTo(/^Remove step 2/);
    await press("Enter");
    await page.getByRole("status").getByText("Removed step 2, Set variable.").waitFor();
    expect(await focused(page)).toBe("Undo");
    await tabTo(/^Add step/);
    await press("Enter", "Enter");
    await page.getByLabel("Name", { exact: true }).waitFor();
    expect((await heads(page)).length).toBe(3);
  });
});

test("faults are listed, lead to their fields, and stay with steps that are moved", async () => {
  const { version } = await api("Faulty");
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto(`/publish/versions/${version}/policies`);
      await addStep(page, "Set header");
      await page.keyboard.type("x-a");
      await page.getByLabel("Value", { exact: true }).fill("{{ nothing }}");
      await addStep(page, "Remove headers");
      await page.keyboard.type("x-b\nhost");
      await page.getByRole("tab", { name: /^Refusals/ }).click();
      await addStep(page, "Set header");
      await page.keyboard.type("content-length");
      await page.getByLabel("Value", { exact: true }).fill("1");
      await page.getByText("Allow pages of other origins").click();
      await page.getByLabel("Origins", { exact: true }).fill("shop.example");
      await save(page).click();
      await page.getByText("4 faults", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Requests, step 2, Remove headers, Names" }).click();
      expect(await page.getByLabel("Names").evaluate((it) => it === document.activeElement)).toBe(
        true,
      );
      await page.getByText(/^Line 2: No step may change this field/).waitFor();
      await page.getByRole("button", { name: "Move up step 2, Remove headers" }).click();
      await page.getByText(/^Line 2: No step may change this field/).waitFor();
      await page.getByRole("button", { name: "Requests, step 2, Set header, Value" }).click();
      await page.getByText("Unknown name `nothing`").first().waitFor();
      await page.getByRole("tab", { name: /^Responses/ }).click();
      await addStep(page, "JSON template");
      await page.keyboard.insertText('{"a": ["{{ nope }}", "{{ 1 + }}"]}');
      await addStep(page, "Edit JSON");
      await page.getByLabel("Path", { exact: true }).fill("a.b");
      await save(page).click();
      await page
        .getByRole("button", { name: "Responses, step 1, JSON template, Template" })
        .first()
        .click();
      await page.getByText(/^\/a\/0: Unknown name `nope`.* \/a\/1: The expression/).waitFor();
      await page
        .getByRole("button", { name: "Responses, step 2, Edit JSON, Edits" })
        .first()
        .click();
      const path = page.getByLabel("Path", { exact: true });
      expect(await path.evaluate((it) => it === document.activeElement)).toBe(true);
      await page.getByRole("button", { name: "Calls from browsers" }).click();
      const origins = page.getByLabel("Origins", { exact: true });
      expect(await origins.evaluate((it) => it === document.activeElement)).toBe(true);
    },
    [/status of 422/],
  );
});

test("some operations have steps of their own", async () => {
  const step = { policy: "set_header", name: "x-a", value: "1" };
  const { version } = await api("Some");
  const policies = { operations: [{ operations: ["GET /others"], request: [step] }] };
  await change(it.petra.api, version, { policies });
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByRole("button", { name: "Steps for some operations…" }).click();
    const dialog = page.getByRole("dialog");
    // An operation has steps of its own once.
    expect(await dialog.getByText("GET /others").count()).toBe(0);
    await dialog.getByText("POST /things/{thing}").click();
    await dialog.getByRole("button", { name: "Choose" }).click();
    await page.getByText("Do not run").click();
    await addStep(page, "Respond");
    await page.getByLabel("Status", { exact: true }).first().fill("204");
    await save(page).click();
    await page.getByText("Saved in the draft.").waitFor();
  });
  expect((await policiesOf(version))?.operations).toMatchObject([
    { mode: "append", operations: ["GET /others"], request: [step] },
    {
      mode: "replace",
      operations: ["POST /things/{thing}"],
      request: [{ policy: "respond", status: 204 }],
    },
  ]);
});

test("origins of CORS are set on their card", async () => {
  const { version } = await api("Origins");
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByText("Allow pages of other origins").click();
    await page
      .getByLabel("Origins", { exact: true })
      .fill("https://shop.example\nhttps://till.example");
    await page.getByLabel("Response headers").fill("x-own");
    await save(page).click();
    await page.getByText("Saved in the draft.").waitFor();
    const origins = ["https://shop.example", "https://till.example"];
    expect((await policiesOf(version))?.cors).toMatchObject({ origins, expose: ["x-own"] });
    await page.getByText("Allow pages of other origins").click();
    await save(page).click();
    await expect.poll(() => policiesOf(version)).toBeUndefined();
  });
});

test("wrong origins are explained at their lines", async () => {
  const { version } = await api("Wrong");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByText("Allow pages of other origins").click();
    const card = cardOf(page, /^Calls from browsers$/);
    for (const [origins, faults] of [
      ["http://a.example/path", ["Line 1: An origin is a scheme"]],
      // Lines are those of the field, with empty ones.
      ["https://a.example\n\nnull", ["Line 3: Null is the origin of every sandboxed page"]],
      ["https://a.example\n*", ['Line 2: "*" allows all origins: list it alone']],
      ["https://*.example", ["Line 1: Origins are compared as a whole"]],
      ["https://A.example\nhttps://b.example:443", ["Line 1: An", "Line 2: Browsers leave"]],
    ] as const) {
      await card.getByLabel("Origins", { exact: true }).fill(origins);
      await save(page).click();
      for (const fault of faults) await card.getByText(fault).waitFor();
    }
    await card.getByLabel("Origins", { exact: true }).fill("*");
    await card.getByText("Allowed", { exact: true }).click();
    await card.getByLabel("Preflight cache, seconds").fill("86401");
    await save(page).click();
    await card.getByText('Browsers reject credentials together with "*"').waitFor();
    await card.getByText("At most 86400 seconds").waitFor();
    await page.getByText("2 faults", { exact: true }).waitFor();
    // Without origins, only the portal's pages may call.
    await card.getByLabel("Origins", { exact: true }).fill("");
    await card.getByLabel("Preflight cache, seconds").fill("60");
    await save(page).click();
    await page.getByText("Saved in the draft.").waitFor();
  };
  await asPerson(it, it.petra, flow, [/status of 422/]);
});
