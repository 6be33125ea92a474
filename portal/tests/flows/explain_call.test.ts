// From a refusal's body, or from the application's page, to the step and the limit that refused.

import { beforeAll, expect, test } from "vitest";
import { explainWords } from "../../src/text/en/explain";
import { published, publishedCalculator } from "../support/apis";
import { type Caller, caller, subscribe } from "../support/caller";
import { done } from "../support/seed";
import { stage } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage();
const LIMIT = "The limit of the plan: At most 1 request a day";
const ENVELOPE = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
  <Add xmlns="http://tempuri.org/"><intA>1</intA><intB>2</intB></Add></soap:Body></soap:Envelope>`;
let dora: Person;
let shop: Caller;
let rest = "";
let soap = "";

beforeAll(async () => {
  const { tollgate, backEnd } = on;
  const petra = await tollgate.person("petra", "publisher");
  dora = await tollgate.person("dora", "developer");
  const limits = [{ per: "subscription" as const, amount: 1, window: "day" as const }];
  const body = { name: "one", limits };
  await done(tollgate.administrator.api.POST("/api/v1/plans", { body }));
  const things = await published(petra.api, {
    name: "Orders",
    upstream: backEnd.url,
    plans: ["one"],
  });
  const wanted = { name: "Sums", upstream: backEnd.url, plans: ["one"] };
  const sums = await publishedCalculator(petra.api, wanted, "soap");
  shop = await caller(tollgate, dora.api, "Shop");
  await subscribe(dora.api, shop.application, things.version, "one");
  await subscribe(dora.api, shop.application, sums.version, "one");
  rest = `${things.path}/things`;
  soap = sums.path;
});

/** The body of a call beyond the limit. */
async function refused(path: string, init: RequestInit = {}): Promise<string> {
  await (await shop.call(path, init)).arrayBuffer();
  const second = await shop.call(path, init);
  expect(second.status).toBeGreaterThanOrEqual(429);
  return second.text();
}

const MESSAGE: RequestInit = {
  method: "POST",
  headers: { "content-type": "text/xml; charset=utf-8", soapaction: '"http://tempuri.org/Add"' },
  body: ENVELOPE,
};

test("a pasted refusal leads to its step and its limit, a fault of SOAP too", async () => {
  const { page, faults } = await on.as(dora);
  for (const [path, init] of [
    [rest, {}],
    [soap, MESSAGE],
  ] as const) {
    const body = await refused(path, init);
    await page.goto("/explain");
    await page.getByLabel(explainWords.paste).fill(body);
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    const steps = page.getByRole("list", { name: explainWords.call.steps }).getByRole("listitem");
    const last = steps.last();
    await last.getByText(explainWords.call.decisions.refused).waitFor();
    expect(await last.innerText()).toContain(LIMIT);
    expect(await steps.count()).toBe(5);
    await page.getByRole("heading", { name: "The subscription's limit is used up." }).waitFor();
    const id = new URL(page.url()).searchParams.get("call") ?? "";
    expect(body).toContain(id);
  }
  expect(faults).toEqual([]);
});

test("a refused call on the application's page leads to its explanation", async () => {
  await refused(rest);
  const { page, faults } = await on.as(dora);
  await page.goto(`/applications/${shop.application}`);
  const calls = page.getByRole("table", { name: "Refused calls" });
  const row = calls.getByRole("row", {
    name: /Orders 1\.0 GET \/things 429 The subscription's limit/,
  });
  await row.first().getByRole("link").click();
  await page.getByText(LIMIT).waitFor();
  expect(faults).toEqual([]);
});

test("a call that nobody made, and one that others made, are not found", async () => {
  const { page } = await on.as(dora, [/status of 404 .*\/usage\/calls\//]);
  const unknown = await shop.call(rest, { headers: { apikey: "tg_live_x" } });
  const ids = ["8b3c1f2d4e5a69788796a5b4c3d2e1f0", unknown.headers.get("x-request-id")];
  for (const id of ids) {
    await page.goto(`/explain?call=${id}`);
    await page
      .getByText("is among those of the last seven days")
      .or(page.getByText("has ended"))
      .waitFor();
  }
});
