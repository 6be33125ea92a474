// A version's revisions: its draft is compared with what is served, deployed, rolled back with its
// document, edited from an old revision; a revision is deleted.

import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { cardOf, settled } from "../support/browser";
import { published } from "../support/apis";
import { ORDERS } from "../support/documents";
import { asItIs, change, done, importOrders, publish } from "../support/seed";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();

async function replaceDocument(version: string, document: string): Promise<void> {
  const { api } = it.petra;
  const params = { path: { version } };
  const { response } = await api.GET("/api/v1/versions/{version}/draft", { params });
  const { headers, ...sent } = asItIs("application/yaml");
  const tag = { "If-Match": response.headers.get("etag") ?? "" };
  await done(
    api.PUT("/api/v1/versions/{version}/document", {
      params: { ...params, header: tag },
      body: document,
      headers,
      ...sent,
    }),
  );
}

/** The orders, without placing one, and with another summary. */
const NEWER = ORDERS.replace("summary: List orders", "summary: Browse orders").replace(
  /    post:\n(?: {6}.*\n)+/,
  "",
);

const dialog = (page: Page) => page.getByRole("dialog");
const inDialog = (page: Page, button: string) =>
  dialog(page).getByRole("button", { name: button, exact: true }).click();

/** Returns the names of the operations in the reference for developers. */
async function operationsOf(page: Page, version: string): Promise<string[]> {
  await page.goto(`/apis/${version}/reference`);
  await settled(page);
  const list = page.getByRole("navigation", { name: "Operations" });
  return list.getByRole("link").allInnerTexts();
}

test("a change is compared, deployed and rolled back, with its document", async () => {
  const { api } = it.petra;
  const { version } = await importOrders(api);
  await publish(api, version, it.backEnd.url);
  await replaceDocument(version, NEWER);
  await asPerson(it, it.petra, async ({ page }) => {
    const revisions = `/publish/versions/${version}/revisions`;
    await page.goto(`/publish/versions/${version}/plans`);
    await page.getByRole("link", { name: "Difference" }).click();
    await page.getByRole("heading", { name: "Revision 1 → Draft" }).waitFor();
    expect(new URL(page.url()).search).toBe("?from=deployed&to=draft");
    await page.getByText("1 change breaks callers.").waitFor();
    const broken = cardOf(page, /^1 breaking change$/).getByRole("listitem");
    await broken.getByText("POST /orders is removed").waitFor();
    await broken.getByRole("button", { name: "Explain the rule operation_removed" }).click();
    await page.getByRole("dialog", { name: "Operation removed" }).waitFor();
    await page.keyboard.press("Escape");
    await cardOf(page, /^\d+ compatible changes?$/).waitFor();
    const removed = page.getByRole("table", { name: "Operations" }).getByRole("row", {
      name: "POST /orders",
    });
    await removed.getByText("none").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Revision 1 → Draft" }).waitFor();

    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await dialog(page).getByText("1 change breaks callers.").waitFor();
    await dialog(page).getByLabel("Note").fill("no more orders");
    await inDialog(page, "Deploy");
    await page.getByText("Revision 2 is served.").waitFor();
    const newer = (await operationsOf(page, version)).join();
    expect(newer).toContain("Browse orders");
    expect(newer).not.toContain("Place an order");

    await page.goto(revisions);
    const row = (number: number) => page.getByRole("row", { name: new RegExp(`^${number}\\b`) });
    await row(2).getByText("served").waitFor();
    await row(2).getByText("no more orders").waitFor();
    expect(await row(2).getByRole("button", { name: "Delete" }).count()).toBe(0);
    await row(1).getByRole("button", { name: "Deploy… revision 1" }).click();
    await dialog(page).getByText("Operations: ").waitFor();
    await dialog(page).getByLabel("Note").fill("too early");
    await inDialog(page, "Roll back");
    await page.getByText("Revision 1 is served.", { exact: true }).waitFor();
    const older = (await operationsOf(page, version)).join();
    expect(older).toContain("List orders");
    expect(older).toContain("Place an order");

    await page.goto(`/publish/versions/${version}`);
    const history = page.getByRole("table", { name: "History" }).getByRole("row");
    expect(await history.nth(1).innerText()).toMatch(
      /petra[^]*rolled back to revision 1[^]*too early/,
    );
    expect(await history.nth(2).innerText()).toMatch(
      /petra[^]*deployed revision 2[^]*no more orders/,
    );
    await page.getByRole("link", { name: "Difference of revisions 2 and 1" }).click();
    await page.getByRole("heading", { name: "Revision 2 → Revision 1" }).waitFor();

    await page.getByRole("button", { name: /To$/ }).click();
    await page.getByRole("option", { name: "Draft", exact: true }).click();
    await page.getByRole("heading", { name: "Revision 2 → Draft" }).waitFor();
    await page.getByText("No differences.").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Revision 2 → Revision 1" }).waitFor();
    await page.getByRole("link", { name: "All revisions" }).click();

    await page.getByRole("button", { name: "Edit from… revision 1" }).click();
    await dialog(page)
      .getByText(/changes? that (is|are) not deployed/)
      .waitFor();
    await inDialog(page, "Replace draft");
    await page.getByText("The draft is a copy of revision 1.").waitFor();
    await page.getByText(/not deployed/).waitFor({ state: "hidden" });

    await page.getByRole("button", { name: "Delete… revision 2" }).click();
    await inDialog(page, "Delete");
    await page.getByText("Revision 2 is deleted.").waitFor();
    await row(2).waitFor({ state: "hidden" });
    await row(1).waitFor();
  });
});

test("a secret is compared, never shown; a draft that changes meanwhile is not lost", async () => {
  const { api } = it.petra;
  const { version } = await published(api, {
    name: "Parcels",
    upstream: it.backEnd.url,
    plans: ["business"],
  });
  const upstream = (value: string) => ({
    upstream: { url: it.backEnd.url, credential: { header: { name: "X-Key", value } } },
  });
  const params = { path: { version } };
  await change(api, version, upstream("first secret"));
  await done(api.POST("/api/v1/versions/{version}/revisions", { params, body: {} }));
  await change(api, version, upstream("second secret"));
  const bodyMax = async () =>
    (await done(api.GET("/api/v1/versions/{version}/draft", { params }))).body_bytes_max;
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto(`/publish/versions/${version}/revisions?from=2&to=draft`);
      const row = page.getByRole("row", { name: "upstream.credential.header.value" });
      await row.waitFor();
      expect(await row.getByRole("cell").allInnerTexts()).toEqual(["secret", "changed"]);

      await page.getByRole("link", { name: "All revisions" }).click();
      await page.getByRole("button", { name: "Edit from… revision 1" }).click();
      await change(api, version, { body_bytes_max: 4_096 });
      await inDialog(page, "Replace draft");
      await dialog(page).getByRole("alert").waitFor();
      expect(await bodyMax()).toBe(4_096);
      await dialog(page).getByText("The draft has 2 changes").waitFor();
      await inDialog(page, "Replace draft");
      await page.getByText("The draft is a copy of revision 1.").waitFor();
      expect(await bodyMax()).toBeUndefined();

      await page.goto(`/publish/versions/${version}/revisions?from=7&to=draft`);
      await page.getByRole("alert").waitFor();
    },
    [/status of 412/, /status of 404/],
  );
});
