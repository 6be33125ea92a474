// An administrator creates a plan, lowers it under load, and deletes it, beside another one who
// changes it, too; and limits an application. A publisher limits one operation for one plan.

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled } from "../support/browser";
import { asPerson, deployDraft } from "../support/publisher";
import { done } from "../support/seed";
import { trying } from "../support/trying";

const it = trying();

async function choose(page: Page, fields: Locator, list: string, option: RegExp): Promise<void> {
  await fields.getByRole("button", { name: new RegExp(` ${list}$`) }).click();
  await page.getByRole("option", { name: option }).click();
}

const limitAt = (page: Page, number: number) =>
  page.getByRole("group", { name: `Limit ${number}`, exact: true });

const amountOf = (limit: Locator) => limit.getByLabel("Amount", { exact: true });

/** Creates an application of dora's that subscribes with a plan; returns a function that calls. */
async function subscriber(version: string, plan: string) {
  const { api } = it.dora;
  const body = { name: `With ${plan}`, description: "" };
  const { id } = await done(api.POST("/api/v1/applications", { body }));
  const subscription = { application: id, version, plan };
  await done(api.POST("/api/v1/subscriptions", { body: subscription }));
  const params = { path: { application: id } };
  const keys = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(keys, { params, body: { name: "till" } }));
  return async (path: string) => {
    const headers = { apikey: key ?? "" };
    const answer = await fetch(`${it.stage.tollgate.gateway}${path}`, { headers });
    const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
    return answer.status === 200 ? 200 : `${answer.status} ${code}`;
  };
}

test("a plan is created in the editor, and its headers are those that the editor has shown", async () => {
  const { administrator } = it.stage.tollgate;
  let shown = "";
  await asPerson(it.stage, administrator, async ({ page }) => {
    await page.goto("/admin/plans");
    await page.getByRole("link", { name: "Create plan" }).click();
    await page.getByLabel("Name", { exact: true }).first().fill("partner");
    await page.getByLabel("Title").fill("Partner");
    const minute = limitAt(page, 1);
    await amountOf(minute).fill("5000");
    await choose(page, minute, "Counted", /^Evenly/);
    await minute.getByLabel("At once", { exact: true }).fill("1000");
    await minute
      .getByText("At most 5,000 requests a minute for each subscription, 1,000 at once.")
      .waitFor();
    await page.getByRole("button", { name: "Add limit" }).click();
    const week = limitAt(page, 2);
    await amountOf(week).fill("40000");
    await week.getByLabel("Every", { exact: true }).fill("2");
    await choose(page, week, "Unit", /^weeks$/);
    await week.getByText("At most 40,000 requests every 2 weeks for each subscription.").waitFor();
    const seen = page.getByRole("region", { name: "Rate limit fields of a response" });
    shown = (await seen.textContent()) ?? "";
    await page.getByRole("button", { name: "Create plan" }).click();
    await page.getByText("Partner is created. Publishers can offer it now.").waitFor();
    await page.getByText("No subscription has this plan.").waitFor();
  });

  const api = await it.api("Partners", ["/things"], {}, "partner");
  const { page, faults } = await it.stage.as(it.dora);
  await page.goto(`/apis/${api.version}`);
  await page.getByText("At most 40,000 requests every 2 weeks for each subscription").waitFor();
  await page.goto(`/apis/${api.version}/reference/get-things`);
  await settled(page);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("200 OK", { exact: true }).waitFor();
  const details = page.locator("details", { hasText: "x-request-id" });
  await details.locator("summary").click();
  const policy = details.locator("dt", { hasText: "ratelimit-policy" }).locator("xpath=../dd");
  const policies = ((await policy.textContent()) ?? "").split(", ").toSorted();
  expect(policies).toEqual([
    '"subscription-2-weeks";q=40000;w=1209600',
    '"subscription-burst-minute";q=5000;w=60',
  ]);
  for (const member of policies) expect(shown).toContain(member);
  expect(faults).toEqual([]);
});

test("a plan that is lowered under load refuses the next call, and a raised one admits it", async () => {
  const { administrator } = it.stage.tollgate;
  const limits = [{ per: "subscription" as const, amount: 100_000, window: "hour" }];
  const body = { name: "lowered", description: "", limits };
  const { id } = await done(administrator.api.POST("/api/v1/plans", { body }));
  const { version, path } = await it.api("Lowered", ["/things"], {}, "lowered");
  const call = await subscriber(version, "lowered");
  const call20 = async () => {
    for (let calls = 0; calls < 20; calls += 1) await call(`${path}/things`);
  };
  await call20();
  await asPerson(it.stage, administrator, async ({ page }) => {
    const save = page.getByRole("button", { name: "Save", exact: true });
    await page.goto(`/admin/plans/${id}`);
    await page.getByText("Acts on 2 subscriptions of 2 applications at once.").waitFor();
    const load = { isOn: true };
    const calling = (async () => {
      while (load.isOn) await call20();
    })();
    await amountOf(limitAt(page, 1)).fill("10");
    await save.click();
    await page.getByText("Saved. The new limits apply now.").first().waitFor();
    const first = await call(`${path}/things`);
    load.isOn = false;
    await calling;
    expect(first).toBe("429 admit.subscription");

    // Under load more than 20 calls were counted, which stay counted.
    await amountOf(limitAt(page, 1)).fill("100000");
    await save.click();
    await expect.poll(() => call(`${path}/things`), { timeout: 10_000 }).toBe(200);
  });
});

test("a limit of an operation applies to the calls of one plan only", async () => {
  const { api } = it.stage.tollgate.administrator;
  for (const name of ["small", "large"]) {
    await done(api.POST("/api/v1/plans", { body: { name, description: "", unlimited: true } }));
  }
  const { version, path } = await it.api("Narrowed", ["/things", "/others"], {}, "large");
  const params = { path: { version } };
  const offered = { params, body: ["small", "large"] };
  await done(it.petra.api.PUT("/api/v1/versions/{version}/plans", offered));
  await asPerson(it.stage, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/limits`);
    await page.getByRole("button", { name: "Limit operation…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("GET /things").click();
    await dialog.getByRole("button", { name: "Choose" }).click();
    const fields = page.getByRole("group", { name: "Limits of GET /things" });
    await fields.getByRole("button", { name: "Add limit" }).click();
    await amountOf(fields).fill("2");
    await choose(page, fields, "Unit", /^day$/);
    await fields.getByText("Conditions, plans and name").click();
    await fields.getByText("small", { exact: true }).click();
    await fields
      .getByText("At most 2 requests a day for all callers together; only with the plan small.")
      .waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved in the draft.").waitFor();
    await deployDraft(page);
  });
  const [small, large] = [await subscriber(version, "small"), await subscriber(version, "large")];
  const thrice = async (call: (path: string) => Promise<unknown>, operation: string) => [
    await call(path + operation),
    await call(path + operation),
    await call(path + operation),
  ];
  expect(await thrice(large, "/things")).toEqual([200, 200, 200]);
  expect(await thrice(small, "/things")).toEqual([200, 200, "429 admit.operation"]);
  expect(await thrice(small, "/others")).toEqual([200, 200, 200]);
});

test("a plan in use is not deleted, and an unused one is", async () => {
  const { administrator } = it.stage.tollgate;
  await done(
    administrator.api.POST("/api/v1/plans", { body: { name: "unused", unlimited: true } }),
  );
  const used = await done(
    administrator.api.POST("/api/v1/plans", { body: { name: "used", unlimited: true } }),
  );
  await it.api("Used", ["/things"], {}, "used");
  await asPerson(
    it.stage,
    administrator,
    async ({ page }) => {
      const dialog = page.getByRole("dialog");
      await page.goto(`/admin/plans/${used.id}`);
      await page.getByRole("button", { name: "Delete…" }).click();
      await dialog.getByRole("alert").waitFor();
      expect(await dialog.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
      await dialog.getByRole("button", { name: "Close" }).last().click();

      await page.goto("/admin/plans");
      await page.getByRole("link", { name: "unused", exact: true }).click();
      await page.getByRole("button", { name: "Delete…" }).click();
      await dialog.getByLabel("Type “unused” to confirm").fill("unused");
      await dialog.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("unused is deleted.").waitFor();
      await page.getByRole("link", { name: "unused", exact: true }).waitFor({ state: "detached" });
    },
    [/status of 409 /],
  );
});

test("a plan that somebody else has changed meanwhile is shown beside one's own", async () => {
  const { administrator } = it.stage.tollgate;
  const { api } = administrator;
  const saved = {
    name: "shared",
    limits: [{ per: "subscription" as const, amount: 10, window: "day" }],
  };
  const { id } = await done(api.POST("/api/v1/plans", { body: saved }));
  const params = { path: { plan: id } };
  const changeBeside = async (description: string) => {
    const { etag } = await done(api.GET("/api/v1/plans/{plan}", { params }));
    const header = { "If-Match": `"${etag}"` };
    const body = { ...saved, description };
    await done(api.PUT("/api/v1/plans/{plan}", { params: { ...params, header }, body }));
  };
  await asPerson(
    it.stage,
    administrator,
    async ({ page }) => {
      const save = page.getByRole("button", { name: "Save", exact: true });
      const dialog = page.getByRole("dialog", { name: "Changed by someone else" });
      await page.goto(`/admin/plans/${id}`);
      await amountOf(limitAt(page, 1)).fill("20");
      await changeBeside("Theirs");
      await save.click();
      const limits = dialog.getByRole("row", { name: "Limits" });
      await limits.getByText("At most 10 requests a day for each subscription.").waitFor();
      await limits.getByText("At most 20 requests a day for each subscription.").waitFor();
      await dialog.getByRole("row", { name: "Description" }).getByText("Theirs").waitFor();

      // Nothing is saved, and what was typed is still there.
      await dialog.getByRole("button", { name: "Close" }).click();
      expect(await amountOf(limitAt(page, 1)).inputValue()).toBe("20");
      const { limits: unchanged } = await done(api.GET("/api/v1/plans/{plan}", { params }));
      expect(unchanged[0]?.amount).toBe(10);

      await save.click();
      await dialog.getByRole("button", { name: "Keep mine" }).click();
      await page.getByText("Saved. The new limits apply now.").first().waitFor();
      const mine = await done(api.GET("/api/v1/plans/{plan}", { params }));
      expect([mine.limits[0]?.amount, mine.description]).toEqual([20, ""]);

      await amountOf(limitAt(page, 1)).fill("30");
      await changeBeside("Theirs again");
      await save.click();
      await dialog.getByRole("button", { name: "Take theirs" }).click();
      expect(await amountOf(limitAt(page, 1)).inputValue()).toBe("10");
      expect(await page.getByLabel("Description").inputValue()).toBe("Theirs again");
    },
    [/status of 412/],
  );
});

test("an administrator finds somebody's application and limits it, which its try-it shows", async () => {
  const { administrator } = it.stage.tollgate;
  const api = await it.api("Bounded", ["/things"]);
  await asPerson(it.stage, administrator, async ({ page }) => {
    await page.goto("/admin");
    await page.getByRole("link", { name: "Applications", exact: true }).click();
    await page.getByRole("searchbox").fill("Shop");
    await page.getByRole("row", { name: "Shop" }).getByText("dora").waitFor();
    await page.getByRole("link", { name: "Change limits of Shop" }).click();
    await page.getByRole("button", { name: "Add limit" }).click();
    // The field of the new limit has the focus.
    await page.keyboard.type("1");
    await choose(page, limitAt(page, 1), "Unit", /^day$/);
    await page.getByText("At most 1 request a day for the application.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. The new limits apply now.").waitFor();
    const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" });
    await crumbs.getByRole("link", { name: "Applications" }).click();
    await page
      .getByRole("row", { name: "Shop" })
      .getByText("At most 1 request a day for the application")
      .waitFor();
  });
  const { page, faults } = await it.stage.as(it.dora, [/status of 429/]);
  await page.goto(`/apis/${api.version}/reference/get-things`);
  await settled(page);
  const send = page.getByRole("button", { name: "Send", exact: true });
  await send.click();
  await page.getByText("200 OK", { exact: true }).waitFor();
  await send.click();
  await page.getByText("429 Too Many Requests", { exact: true }).waitFor();
  await page.getByText("admit.application", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});
