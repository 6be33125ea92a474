// An administrator creates a plan, lowers it under load, and deletes it; a publisher limits one
// operation for one plan.

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
