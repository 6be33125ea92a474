// A publisher sets the certificate authority and the gateway's credential of an upstream. Calls
// reach the upstream with the secret, which no page and no response shows again.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { published } from "../support/apis";
import { settled } from "../support/browser";
import { asPerson, deployDraft, publisherStage } from "../support/publisher";
import { done } from "../support/seed";
import { makeCertificates } from "../support/tollgate";
import { type BackEnd, listening } from "../support/upstream";

const it = publisherStage();
const SECRET = "of the warehouse, for the gateway only";
const DRAFT = "/api/v1/versions/{version}/draft";
let folder = "";
let ca = "";
let warehouse: BackEnd;
/** The credential of the last call. */
let proven: unknown;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-upstream-"));
  makeCertificates(folder);
  const pem = (name: string) => readFileSync(join(folder, name), "utf8");
  ca = pem("ca.crt");
  const [cert, key] = [pem("certificates/localhost.crt"), pem("certificates/localhost.key")];
  const server = createServer({ cert, key }, (request, answer) => {
    proven = request.headers["x-warehouse"];
    answer.end("[]");
  });
  warehouse = await listening(server, "https");
});

afterAll(async () => {
  await warehouse.stop();
  rmSync(folder, { recursive: true });
});

/** Saves the draft and deploys it as this revision. */
async function serve(page: Page, revision: number): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved in the draft").waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await deployDraft(page, revision);
}

test("an upstream's authority and secret are set, used, kept, and never shown", async () => {
  const { api } = it.petra;
  const { version, path } = await published(api, {
    name: "Warehouse",
    upstream: warehouse.url,
    plans: ["unlimited"],
    draft: { operations: [{ method: "GET", path: "/things", anonymous: true }] },
  });
  const params = { path: { version } };
  const call = async () => (await fetch(`${it.tollgate.gateway}${path}/things`)).status;
  const shown = async () => JSON.stringify(await done(api.GET(DRAFT, { params })));
  expect(await call()).toBe(502);

  await asPerson(it, it.petra, async ({ page }) => {
    const open = async () => {
      await page.goto(`/publish/versions/${version}/upstream`);
      await settled(page);
    };
    await open();
    await page
      .getByRole("button", { name: /How the gateway authenticates/ })
      .first()
      .click();
    await page.getByRole("option", { name: /^A header with a secret/ }).click();
    await page.getByLabel("Header", { exact: true }).fill("X-Warehouse");
    await page.getByLabel("Value", { exact: true }).fill(SECRET);
    await page.getByText("Certificate and time limits").first().click();
    await page.getByLabel("Certificate authorities").first().fill(ca);
    await serve(page, 2);
    expect(await call()).toBe(200);
    expect(proven).toBe(SECRET);
    const { upstream } = await done(api.GET(DRAFT, { params }));
    expect(upstream?.ca?.trim()).toBe(ca.trim());
    expect(upstream?.credential).toEqual({ header: { name: "X-Warehouse", value: "***" } });

    // It is kept if another field is changed.
    await open();
    expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("");
    await page.getByLabel("Connect, ms").first().fill("4000");
    await serve(page, 3);
    proven = undefined;
    expect(await call()).toBe(200);
    expect(proven).toBe(SECRET);
    expect(await shown()).toContain('"connect_timeout_ms":4000');
    expect(await shown()).not.toContain(SECRET);
  });
});
