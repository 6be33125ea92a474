// Limits, scopes and credential of operations: of one, of many at once, of thousands, and of SOAP
// services; in effect once deployed.

import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { published, publishedCalculator } from "../support/apis";
import { manyOperations } from "../support/large";
import { deployDraft } from "../support/publisher";
import { asItIs, change, created, done, makePlans } from "../support/seed";
import { stage, startKeyManager } from "../support/stage";
import type { Person } from "../support/tollgate";

const on = stage(() => startKeyManager());
let petra: Person;

beforeAll(async () => {
  await makePlans(on.tollgate.administrator);
  petra = await on.tollgate.person("petra", "publisher", "developer");
});

const SECURITY = {
  require: "any",
  api_key: {},
  oauth2: {},
  scopes: { "vault:read": { text: "Read it" }, "vault:write": {} },
};

const OPERATIONS = [
  { method: "GET", path: "/things", summary: "All things" },
  { method: "GET", path: "/boxes", summary: "All boxes" },
  { method: "PUT", path: "/boxes/{box}", summary: "Change a box" },
  { method: "DELETE", path: "/boxes/{box}", summary: "Remove a box" },
];

async function draftOf(version: string) {
  const params = { path: { version } };
  return done(petra.api.GET("/api/v1/versions/{version}/draft", { params }));
}

/** Returns the key of a new application with a subscription to a version. */
async function keyFor(version: string, name: string): Promise<string> {
  const { api } = petra;
  const { id } = await done(api.POST("/api/v1/applications", { body: { name } }));
  const body = { application: id, version, plan: "business" };
  await done(api.POST("/api/v1/subscriptions", { body }));
  const params = { path: { application: id } };
  const keys = "/api/v1/applications/{application}/keys";
  return (await done(api.POST(keys, { params, body: { name: "tests" } }))).key ?? "";
}

const inDialog = (page: Page, button: string) =>
  page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();

async function choose(page: Page, list: string, option: string): Promise<void> {
  await page
    .getByRole("dialog")
    .getByRole("button", { name: new RegExp(`${list}$`) })
    .click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("scopes of many operations and a limit of one take effect when deployed", async () => {
  const began = performance.now();
  const { version, path } = await published(petra.api, {
    name: "Vault",
    upstream: on.backEnd.url,
    plans: ["business"],
    draft: { security: SECURITY, operations: OPERATIONS },
  });
  const key = await keyFor(version, "Shop front");
  const call = async (method: string, operation: string) => {
    const url = `${on.tollgate.gateway}${path}${operation}`;
    const answer = await fetch(url, { method, headers: { apikey: key } });
    const body = (await answer.json()) as { code?: string };
    return [answer.status, body.code];
  };
  expect(await call("PUT", "/boxes/1")).toEqual([200, undefined]);

  const { page, faults } = await on.as(petra, [/status of 422/]);
  await page.goto(`/publish/versions/${version}/operations`);
  await page.getByRole("searchbox").fill("BOX {box}");
  await page.getByText("Select all 2").click();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Edit…", exact: true }).click();
  await choose(page, "Scopes", "Replace");
  await page.getByRole("dialog").getByText("vault:write", { exact: true }).click();
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();

  await page.goto(`/publish/versions/${version}/operations`);
  await page.getByRole("button", { name: "Edit GET /things" }).click();
  await inDialog(page, "Add limit");
  await inDialog(page, "Save");
  const limit = page.getByRole("group", { name: "Limit 1" });
  await limit.getByText("An amount must be 1 to 281474976710655.").waitFor();
  await limit.getByLabel("Amount", { exact: true }).fill("1");
  await choose(page, "Unit", "day");
  await inDialog(page, "Save");
  await page
    .getByRole("row", { name: /\/things/ })
    .getByText("At most 1 request a day for all callers together")
    .waitFor();
  expect((await draftOf(version)).operations).toEqual([
    { ...OPERATIONS[0], limits: [expect.objectContaining({ amount: 1, window: "day" })] },
    OPERATIONS[1],
    { ...OPERATIONS[2], scopes: ["vault:write"] },
    { ...OPERATIONS[3], scopes: ["vault:write"] },
  ]);
  expect(await call("PUT", "/boxes/1")).toEqual([200, undefined]);

  await deployDraft(page);
  expect(await call("PUT", "/boxes/1")).toEqual([403, "authorize.scope"]);
  expect(await call("DELETE", "/boxes/1")).toEqual([403, "authorize.scope"]);
  expect(await call("GET", "/boxes")).toEqual([200, undefined]);
  expect(await call("GET", "/things")).toEqual([200, undefined]);
  expect(await call("GET", "/things")).toEqual([429, "admit.operation"]);
  console.log(`flow: edit operations: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  expect(faults).toEqual([]);
});

test("an operation without a credential cannot require a scope", async () => {
  const { version } = await published(petra.api, {
    name: "Kiosk",
    upstream: on.backEnd.url,
    plans: ["business"],
    draft: { security: SECURITY, operations: OPERATIONS },
  });
  const { page, faults } = await on.as(petra, [/status of 422/]);
  await page.goto(`/publish/versions/${version}/operations`);
  await page.getByText("/things", { exact: true }).click();
  await page.getByText("All things").waitFor();
  await page.getByText("Select all 4").click();
  await page.getByRole("button", { name: "Edit…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Edit 4 operations" });
  await dialog.getByText("Not needed", { exact: true }).click();
  await choose(page, "Scopes", "Replace");
  await dialog.getByText("vault:read", { exact: true }).click();
  await inDialog(page, "Save");
  await dialog.getByText("A call without a credential has no scopes.", { exact: true }).waitFor();
  await choose(page, "Scopes", "Remove all");
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();
  const { operations } = await draftOf(version);
  expect(operations).toEqual(OPERATIONS.map((it) => ({ ...it, anonymous: true })));
  expect(faults).toEqual([]);
});

test("changes of the same operation by someone else are shown, of others kept", async () => {
  const { version } = await published(petra.api, {
    name: "Depot",
    upstream: on.backEnd.url,
    plans: ["business"],
    draft: { security: SECURITY, operations: OPERATIONS },
  });
  const [things, ...others] = OPERATIONS;
  const theirs = (scope: string, ...rest: object[]) =>
    change(petra.api, version, { operations: [{ ...things, scopes: [scope] }, ...rest] });
  const { page, faults } = await on.as(petra, [/status of 412/]);
  await page.goto(`/publish/versions/${version}/operations`);
  const edit = async (operation: string) => {
    await page.getByRole("button", { name: `Edit ${operation}` }).click();
    await page.getByRole("dialog").getByText("vault:write", { exact: true }).click();
  };
  await edit("GET /boxes");
  await theirs("vault:read", ...others);
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();
  const scopes = async () => (await draftOf(version)).operations?.map((it) => it.scopes ?? []);
  expect(await scopes()).toEqual([["vault:read"], ["vault:write"], [], []]);

  await edit("PUT /boxes/{box}");
  await change(petra.api, version, {
    operations: OPERATIONS.map((it) => ({ ...it, scopes: ["vault:read"] })),
  });
  await inDialog(page, "Save");
  const dialog = page.getByRole("dialog", { name: "Changed by someone else" });
  const row = dialog.getByRole("row", { name: "PUT /boxes/{box}: scopes" });
  await row.waitFor();
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(["vault:read", "vault:write"]);
  expect(await dialog.getByRole("row").count()).toBe(2);
  await inDialog(page, "Keep mine");
  await dialog.waitFor({ state: "hidden" });
  expect(await scopes()).toEqual([["vault:read"], ["vault:read"], ["vault:write"], ["vault:read"]]);
  expect(faults).toEqual([]);
});

/** Generous for a loaded machine: the printed times are a tenth of it. */
const MS_MAX = 3_000;
/** Other processes of the machine only make an attempt slower, so the fastest one counts. */
const ATTEMPTS = 3;

test("2,000 operations are shown, found, selected and changed at once", async () => {
  const made = created(
    await done(
      petra.api.POST("/api/v1/apis/import", {
        params: { query: { name: "Large", context: "/large", version: "1.0" } },
        body: manyOperations(2_000),
        ...asItIs("application/json"),
      }),
    ),
  );
  const version = made.version.id;
  await change(petra.api, version, { security: SECURITY });
  const { page, faults } = await on.as(petra);
  await page.goto(`/publish/versions/${version}`);
  const search = page.getByRole("searchbox");
  const isAll = () => page.getByText("50 of 2,000 shown").waitFor();
  const measure = async (name: string, act: () => Promise<void>, undo: () => Promise<void>) => {
    const times: number[] = [];
    while (times.length < ATTEMPTS) {
      if (times.length > 0) await undo();
      const began = performance.now();
      await act();
      times.push(Math.round(performance.now() - began));
    }
    console.log(`2,000 operations: ${name} after ${times.join(", ")} ms`);
    expect(Math.min(...times), name).toBeLessThan(MS_MAX);
  };
  await measure(
    "shown",
    async () => {
      await page.getByRole("link", { name: "Operations", exact: true }).click();
      await isAll();
    },
    async () => {
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByRole("heading", { name: "History" }).waitFor();
    },
  );
  expect(await page.locator("*").count()).toBeLessThan(3_000);
  const clear = async () => {
    await search.fill("");
    await isAll();
  };
  await measure(
    "found",
    async () => {
      await search.fill("put things98 {id}");
      await page.getByText("11 of 11 shown").waitFor();
    },
    clear,
  );
  await clear();
  await measure(
    "selected",
    async () => {
      await page.getByText("Select all 2,000").click();
      await page.getByText("2,000 selected").waitFor();
    },
    () => page.getByRole("button", { name: "Clear selection" }).click(),
  );
  await page.getByRole("button", { name: "Edit…", exact: true }).click();
  await choose(page, "Scopes", "Replace");
  await page.getByRole("dialog").getByText("vault:read", { exact: true }).click();
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();
  const { operations = [] } = await draftOf(version);
  expect(operations.filter((it) => it.scopes?.includes("vault:read"))).toHaveLength(2_000);
  expect(faults).toEqual([]);
});

test("operations of a SOAP service have limits and scopes, and need a credential", async () => {
  const wanted = { upstream: `${on.backEnd.url}/soap`, plans: ["business"] };
  const soap = await publishedCalculator(petra.api, { name: "Sums", ...wanted }, "soap");
  const rest = await publishedCalculator(petra.api, { name: "Adder", ...wanted }, "soap_to_rest");
  const { page, faults } = await on.as(petra);
  await page.goto(`/publish/versions/${soap.version}/operations`);
  await page.getByRole("button", { name: "Edit Add" }).click();
  await page.getByText(/^Every call needs a credential/).waitFor();
  await inDialog(page, "Add limit");
  await page.getByLabel("Amount", { exact: true }).fill("1");
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();
  expect((await draftOf(soap.version)).soap?.operations).toMatchObject([
    { name: "Add", limits: [{ per: "operation", amount: 1, window: "minute" }] },
  ]);

  await page.goto(`/publish/versions/${rest.version}/operations?q=post`);
  await page.getByRole("row", { name: "Add" }).getByText("POST /Add").waitFor();
  await page.getByRole("button", { name: "Edit Add" }).click();
  await page.getByText("Not needed", { exact: true }).click();
  await inDialog(page, "Save");
  await page.getByText("Saved in the draft.").waitFor();
  await deployDraft(page);
  const answer = await fetch(`${on.tollgate.gateway}${rest.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ a: 2, b: 3 }),
  });
  expect(answer.status).toBe(200);
  expect(faults).toEqual([]);
});

const UNLISTED = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">
  <e:Body><Unlisted xmlns="urn:else"/></e:Body></e:Envelope>`;

test("calls outside the contract of a SOAP service have limits and scopes, or are refused", async () => {
  const wanted = { name: "Totals", upstream: `${on.backEnd.url}/soap`, plans: ["business"] };
  const { version, path } = await publishedCalculator(petra.api, wanted, "soap");
  await change(petra.api, version, { security: SECURITY });
  const key = await keyFor(version, "Back office");
  const call = async () => {
    const headers = { apikey: key, "content-type": "text/xml" };
    const url = `${on.tollgate.gateway}${path}`;
    return (await fetch(url, { method: "POST", headers, body: UNLISTED })).text();
  };
  const unknown = async () => (await draftOf(version)).soap?.unknown;
  const { page, faults } = await on.as(petra);
  const row = page.getByRole("row", { name: "Calls outside the contract" });
  const dialog = page.getByRole("dialog", { name: "Edit calls outside the contract" });
  await page.goto(`/publish/versions/${version}/operations`);
  await row.getByText("Forwarded").waitFor();
  await row.getByRole("button").click();
  await inDialog(page, "Add limit");
  await dialog.getByLabel("Amount", { exact: true }).fill("2");
  await dialog.getByText("vault:read", { exact: true }).click();
  await inDialog(page, "Save");
  await row.getByText("At most 2 requests a minute for all callers together").waitFor();
  expect(await unknown()).toMatchObject({
    limits: [{ per: "operation", amount: 2, window: "minute" }],
    scopes: ["vault:read"],
    refused: false,
  });
  await deployDraft(page);
  expect(await call()).toContain("authorize.scope");

  await row.getByRole("button").click();
  await dialog.getByText("Refused", { exact: true }).click();
  await inDialog(page, "Save");
  await row.getByText("Refused").waitFor();
  expect(await unknown()).toMatchObject({ scopes: ["vault:read"], refused: true });
  await deployDraft(page, 3);
  expect(await call()).toContain("route.no_operation");
  expect(faults).toEqual([]);
});
