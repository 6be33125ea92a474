// A file becomes a published API in six clicks, and the first call with a key succeeds.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { Clicks, WAYS } from "../support/clicks";
import { CALCULATOR, ORDERS } from "../support/documents";
import { pasted } from "../support/shell";
import { asPerson, publisherStage } from "../support/publisher";

const it = publisherStage();
const folder = mkdtempSync(join(tmpdir(), "tollgate-documents-"));

afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(text),
});

async function choose(page: Page, name: string, text: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  await (await chooser).setFiles(file(name, text));
}

test.each(WAYS)("a file is published in six clicks, and called: $name", async (way) => {
  const { page, faults } = await it.as(it.petra, [], way.options);
  // Each API needs its own name and context.
  const orders = ORDERS.replace("title: Orders", `title: Orders ${way.name}`);
  await page.goto("/publish");
  const clicks = new Clicks(way);
  await clicks.on(page.getByRole("link", { name: "Publish an API" }).first());
  const chooser = page.waitForEvent("filechooser");
  await clicks.on(page.getByRole("button", { name: "Choose a file" }));
  const text = `${orders}servers:\n  - url: ${it.backEnd.url}\n`;
  await (await chooser).setFiles(file("orders.yaml", text));
  await page.getByRole("heading", { name: "4 operations" }).waitFor();
  expect(await page.getByLabel("Address", { exact: true }).inputValue()).toBe(it.backEnd.url);
  await clicks.on(page.locator("label").filter({ hasText: "Trial" }));
  await clicks.on(page.getByRole("button", { name: "Publish", exact: true }));
  await page.getByRole("heading", { name: "Published" }).waitFor();
  await clicks.on(page.getByRole("button", { name: "Get a key" }));
  await clicks.on(page.getByRole("button", { name: "Create key" }));
  const lines = await page.getByRole("region", { name: "Your first call" }).textContent();
  clicks.print("published from a file, with a key");
  expect(clicks.count).toBeLessThanOrEqual(6);
  expect(clicks.seconds).toBeLessThan(120);
  expect(await pasted(lines ?? "")).toMatch(/^HTTP\/1\.1 200/);
  expect(faults).toEqual([]);
});

test("the proposed upstream and empty security are taken by their boxes", async () => {
  const orders = ORDERS.replace("title: Orders", "title: Open orders");
  const text = `${orders}servers:\n  - url: ${it.backEnd.url}\nsecurity: []\n`;
  await asPerson(it, it.petra, async ({ page }) => {
    const imports: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/apis/import")) imports.push(new URL(request.url()).search);
    });
    await page.goto("/publish/new");
    await choose(page, "orders.yaml", text);
    const box = page.getByRole("checkbox", { name: "Take the address that the document proposes" });
    const address = page.getByLabel("Address", { exact: true });
    expect(await box.isChecked()).toBe(true);
    await box.uncheck({ force: true });
    expect(await address.inputValue()).toBe("");
    await box.check({ force: true });
    expect(await address.inputValue()).toBe(it.backEnd.url);
    await page.getByText("As in the document", { exact: true }).click();
    await page.getByText("Open the 4 operations").click();
    await page.locator("label").filter({ hasText: "Trial" }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("heading", { name: "Published" }).waitFor();
    expect(imports.at(-1)).toContain("upstream=proposed");
    const called = await fetch(`${it.tollgate.gateway}/open-orders/1.0/orders`);
    expect(called.status).toBe(200);
  });
});

test("a proposed upstream that is not allowed is shown at its field before anything is saved", async () => {
  const orders = ORDERS.replace("title: Orders", "title: Metadata");
  const text = `${orders}servers:\n  - url: http://169.254.169.254/latest\n`;
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto("/publish/new");
      await choose(page, "orders.yaml", text);
      await page.getByRole("button", { name: "Save as draft" }).click();
      const address = page.getByLabel("Address", { exact: true });
      await address.and(page.locator("[aria-invalid=true]")).waitFor();
      const params = { query: { q: "Metadata" } };
      const found = await it.petra.api.GET("/api/v1/apis", { params });
      expect(found.data?.total).toBe(0);
    },
    [/status of 422/],
  );
});

test("a WSDL named .json is detected", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto("/publish/new");
    await choose(page, "calculator.json", CALCULATOR);
    await page.getByRole("radio", { name: "SOAP, unchanged" }).waitFor();
  });
});

test("a fault is shown at its line", async () => {
  const refused = /status of 422/;
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto("/publish/new");
      await choose(page, "broken.yaml", "openapi: 3.1.0\ninfo:\n  title: [\npaths: {}\n");
      const lines = page.getByRole("region", { name: "Surrounding lines" });
      expect(await lines.textContent()).toMatch(/> +\d+ /);
    },
    [refused],
  );
});

const UNUSABLE: readonly (readonly [string, Buffer, string])[] = [
  ["empty.json", Buffer.alloc(0), "The document is empty."],
  ["page.html", Buffer.from("<!doctype html><html></html>"), "This is a web page"],
  ["latin.yaml", Buffer.from([0x6f, 0x3a, 0xe9, 0xff]), "not UTF-8 text"],
  ["letter.txt", Buffer.from("Dear Sir or Madam"), "neither an OpenAPI document"],
  ["huge.json", Buffer.alloc(50 << 20, " "), "The document is too large"],
];

test.each(UNUSABLE)("%s is not sent, and the reason is shown", async (name, bytes, why) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  await asPerson(it, it.petra, async ({ page, apiCalls }) => {
    await page.goto("/publish/new");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file" }).click();
    await (await chooser).setFiles(path);
    await page.getByText(why).waitFor();
    expect(apiCalls).not.toContain("POST /api/v1/apis/import");
  });
});

test("a document of 5 MB is read", async () => {
  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto("/publish/new");
    const long = "x".repeat(1_000);
    const schemas: Record<string, object> = {};
    for (let n = 0; n < 5_000; n += 1) schemas[`Schema${n}`] = { description: long };
    const document = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Large", version: "1.0" },
      paths: { "/all": { get: { responses: { 200: { description: "All" } } } } },
      components: { schemas },
    });
    await choose(page, "large.json", document);
    await page.getByText("1 operation", { exact: true }).waitFor();
  });
});
