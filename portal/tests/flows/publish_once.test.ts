// However often Publish is pressed and whichever step fails, one API is created and nothing is
// lost.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ORDERS } from "../support/documents";
import { refuse } from "../support/failing";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();

async function preview(page: Page, name: string): Promise<void> {
  await page.goto("/publish");
  await page.getByRole("link", { name: "Publish an API" }).first().click();
  await page.getByLabel("Document", { exact: true }).fill(ORDERS);
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Context").fill(`/${name.toLowerCase().replaceAll(/\W/g, "-")}`);
  await page.getByLabel("Address", { exact: true }).fill(it.backEnd.url);
  await page.getByText("Business", { exact: true }).click();
}

async function namesLike(q: string): Promise<string[]> {
  const found = await it.petra.api.GET("/api/v1/apis", { params: { query: { q } } });
  return found.data?.items.map(({ name }) => name) ?? [];
}

const publish = (page: Page) => page.getByRole("button", { name: "Publish", exact: true });

test("a double click on Publish makes one API", async () => {
  await asPerson(it, it.petra, async ({ page, apiCalls }) => {
    await preview(page, "Double");
    await publish(page).dblclick();
    await page.getByRole("heading", { name: "Published" }).waitFor();
    expect(apiCalls.filter((call) => call === "POST /api/v1/apis/import")).toHaveLength(2);
    expect(await namesLike("Double")).toEqual(["Double"]);
  });
});

test("after a failed step, the form shows what is saved, and the next attempt continues there", async () => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await preview(page, "Halfway");
      const plans = "**/api/v1/versions/*/plans";
      await page.route(plans, (route) => refuse(route, 500, "internal", "it failed"));
      await publish(page).click();
      await page.getByText("Saved so far").waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Halfway");
      await page.unroute(plans);
      await publish(page).click();
      await page.getByRole("heading", { name: "Published" }).waitFor();
      expect(await namesLike("Halfway")).toEqual(["Halfway"]);
    },
    [/status of 500/],
  );
});

test("Back during a save needs a confirmation, and the save continues", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await preview(page, "Back");
    await page.route("**/api/v1/apis/import*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await publish(page).click();
    await page.goBack();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("heading", { name: "Published" }).waitFor();
    expect(await namesLike("Back")).toEqual(["Back"]);
  });
});

test("if the server stops, the input is kept and can be published later", async () => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await preview(page, "Outage");
      await it.tollgate.halt();
      await publish(page).click();
      await page.getByText("The control plane does not respond").first().waitFor();
      await it.tollgate.resume();
      await publish(page).click();
      await page.getByRole("heading", { name: "Published" }).waitFor();
    },
    [/ERR_CONNECTION_REFUSED/],
  );
});

const NAMES = ["é".repeat(200), "عنوان الطلبات", "🦊 foxes", "../../etc/passwd"];

test.each(NAMES)("an API called %s", async (name) => {
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await preview(page, name);
      await page.getByLabel("Context").fill(`/name-${NAMES.indexOf(name)}`);
      await publish(page).click();
      // The name of 200 characters is refused at the field; the others are valid.
      const ended = page.getByRole("heading", { name: "Published" });
      await ended.or(page.getByRole("alert")).first().waitFor();
      if ((await ended.count()) === 0) {
        expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(name);
        return;
      }
      await page.getByRole("link", { name: "Go to version" }).click();
      await page.getByRole("heading", { name: `${name} 1.0` }).waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
    },
    [/status of 4\d\d/],
  );
});
