// A save that fails moves the focus to the first faulty field, unfolded and in view, and lists the
// faults below the button, each with a button that leads to its field: one flow for each long form.

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { addStep } from "../states";
import { type Published, type Wanted, published, publishedCalculator } from "../support/apis";
import { PHONE } from "../support/browser";
import { CALCULATOR, petsDocument } from "../support/documents";
import { failing } from "../support/failing";
import { asPerson, publisherStage } from "../support/publisher";
import { asItIs, change, created, done } from "../support/seed";

const it = publisherStage();
const REFUSED = [/status of 422/];

async function madeOf(name: string, draft: Wanted["draft"] = {}): Promise<Published> {
  const operations = [
    { method: "GET", path: "/things", anonymous: true },
    { method: "POST", path: "/things" },
  ];
  const wanted = { name, upstream: "http://127.0.0.1:9", plans: ["business"] };
  return published(it.petra.api, { ...wanted, draft: { operations, ...draft } });
}

const versionOf = async (name: string, draft: Wanted["draft"] = {}) =>
  (await madeOf(name, draft)).version;

/** Pastes a document, and reads it. */
async function read(page: Page, document: string): Promise<void> {
  await page.getByLabel("Document", { exact: true }).fill(document);
  await page.getByRole("button", { name: "Read", exact: true }).click();
}

/** Returns an OpenAPI document with a single operation and server. */
const parksDocument = (server: string) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Parks", version: "2" },
    servers: [{ url: server }],
    paths: { "/parks": { get: { responses: {} } } },
  });

const focusIn = (field: Locator) => field.evaluate((it) => it === document.activeElement);

/** Waits until a field has the focus, and checks that it is in the window, and nothing above it. */
async function isShown(field: Locator): Promise<void> {
  await expect.poll(() => focusIn(field)).toBe(true);
  const covering = await field.evaluate((it) => {
    // The input of a checkbox is below its mark.
    const shown = it.closest("label") ?? it;
    const { left, top, width, height } = shown.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return shown.contains(hit) ? undefined : (hit?.outerHTML.slice(0, 80) ?? "outside the window");
  });
  expect(covering).toBe(undefined);
}

interface Failed {
  page: Page;
  /** The form, or what is around it. */
  within?: Locator;
  button: string;
  /** Faults as listed, with the fields that they lead to; the first one has the focus. */
  faults: readonly (readonly [name: string, field: Locator])[];
}

/** Presses the button, and checks where the focus is, what is listed, and where it leads. */
async function fails({ page, within, button, faults }: Failed): Promise<void> {
  const around = within ?? page.locator("main");
  const submit = around.getByRole("button", { name: button, exact: true });
  await submit.click();
  const alert = around.getByRole("alert");
  await alert.waitFor();
  const [first] = faults;
  if (first) await isShown(first[1]);
  await alert
    .getByText(faults.length === 1 ? "1 fault" : `${faults.length} faults`, { exact: true })
    .waitFor();
  expect(await alert.getByRole("listitem").getByRole("button").allTextContents()).toEqual(
    faults.map(([name]) => name),
  );
  const [above, below] = [await submit.boundingBox(), await alert.boundingBox()];
  const gap = (below?.y ?? Infinity) - (above?.y ?? 0) - (above?.height ?? 0);
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(gap).toBeLessThan(80);
  for (const [name, field] of faults.toReversed()) {
    await alert.getByRole("button", { name, exact: true }).click();
    await isShown(field);
  }
}

test("policies: the first faulty step is unfolded, in the tab that has it", async () => {
  const good = { policy: "let", name: "a", value: "1" };
  const request = Array.from({ length: 20 }, (_, at) => ({ ...good, name: `a${at}` }));
  const version = await versionOf("Steps", { policies: { request } });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/policies`);
    await page.getByRole("button", { name: /var\.a0 / }).click();
    await page.getByLabel("Value", { exact: true }).fill("1 +");
    await page.getByRole("button", { name: /var\.a0 / }).click();
    await page.getByRole("tab", { name: /^Refusals/ }).click();
    await addStep(page, "Set header");
    await page.keyboard.type("content-length");
    await page.getByText("Allow pages of other origins").click();
    await page.getByLabel("Origins", { exact: true }).fill("shop.example");
    const value = page.getByLabel("Value", { exact: true });
    const origins = page.getByLabel("Origins", { exact: true });
    await fails({
      page,
      button: "Save",
      faults: [
        ["Requests, step 1, Set variable, Value", value],
        ["Refusals, step 1, Set header, Name", page.getByLabel("Name", { exact: true })],
        ["Calls from browsers, Origins", origins],
      ],
    });
    await page.getByRole("tab", { name: /^Refusals/ }).click();
    await page.getByRole("button", { name: "Remove step 1, Set header" }).click();
    await page.getByText("2 faults", { exact: true }).waitFor();
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("cache: a closed section with a fault is opened", async () => {
  const version = await versionOf("Stored");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/cache`);
    await page.getByText("Store responses", { exact: true }).click();
    await page.getByText("Stale responses and errors").click();
    await page.getByLabel("Stored errors").fill("429 5");
    await page.getByText("Stale responses and errors").click();
    const stored = page.getByLabel("Stored errors");
    await fails({
      page,
      button: "Save",
      faults: [["Cache, Stored errors", stored]],
    });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("upstreams: told apart by their cards; on a phone, the bar of the page covers no field", async () => {
  const version = await versionOf("Backed");
  const flow = async ({ page }: { page: Page }) => {
    await page.setViewportSize(PHONE);
    await page.goto(`/publish/versions/${version}/upstream`);
    const addresses = page.getByLabel("Address", { exact: true });
    await addresses.first().fill("ftp://127.0.0.1");
    await addresses.last().fill("nowhere");
    await fails({
      page,
      button: "Save",
      faults: [
        ["Upstream, Address", addresses.first()],
        ["Sandbox upstream, Address", addresses.last()],
      ],
    });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("security: a header that cannot have a key", async () => {
  const version = await versionOf("Guarded");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/security`);
    const header = page.getByLabel("API key header", { exact: true });
    await header.fill("a b");
    await fails({
      page,
      button: "Save",
      faults: [["Caller authentication, API key header", header]],
    });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("limits: the row of an operation with a fault is unfolded", async () => {
  const limits = [{ per: "operation", amount: 5, window: "day" }];
  const operations = [{ method: "GET", path: "/things", anonymous: true, limits }];
  const version = await versionOf("Limited", { operations });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/limits`);
    await page.getByRole("button", { name: "Change the limits of GET /things" }).click();
    const row = page.getByRole("group", { name: /GET \/things/ });
    const amount = row.getByLabel("Amount", { exact: true });
    await amount.fill("0");
    await page.getByRole("button", { name: "Close the limits of GET /things" }).click();
    await fails({
      page,
      button: "Save",
      faults: [["Limits of its operations, GET /things, Limit 1, Amount", amount]],
    });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("operations: the dialog of one or many", async () => {
  const version = await versionOf("Dialog");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/operations`);
    await page.getByRole("button", { name: "Edit GET /things" }).click();
    const within = page.getByRole("dialog");
    await within.getByRole("button", { name: "Add limit" }).click();
    const amount = within.getByLabel("Amount", { exact: true });
    await fails({ page, within, button: "Save", faults: [["Limits, Limit 1, Amount", amount]] });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("plans: each faulty limit by its number", async () => {
  const flow = async ({ page }: { page: Page }) => {
    await page.goto("/admin/plans/new");
    const name = page.getByLabel("Name", { exact: true }).first();
    await name.fill("partner");
    const limit = page.getByRole("group", { name: "Limit 1", exact: true });
    const amount = limit.getByLabel("Amount", { exact: true });
    await amount.fill("0");
    const amounts = [["Limits, Limit 1, Amount", amount]] as const;
    await fails({ page, button: "Create plan", faults: amounts });
    await amount.fill("5");
    await name.fill("");
    await fails({ page, button: "Create plan", faults: [["Plan, Name", name]] });
  };
  await asPerson(it, it.tollgate.administrator, flow, REFUSED);
});

test("users and applications: the dialog's field", async () => {
  const flow = async ({ page }: { page: Page }) => {
    const within = page.getByRole("dialog");
    const name = within.getByLabel("Name", { exact: true });
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Create user" }).click();
    await name.fill("");
    await fails({ page, within, button: "Create user", faults: [["Name", name]] });
    await page.goto("/applications");
    await page.getByRole("button", { name: "Create application" }).first().click();
    await name.fill("w".repeat(200));
    await fails({ page, within, button: "Create application", faults: [["Name", name]] });
  };
  await asPerson(it, it.tollgate.administrator, flow, REFUSED);
});

test("limits of an application", async () => {
  const body = { name: "Till", description: "" };
  const { api } = it.tollgate.administrator;
  const { id } = await done(api.POST("/api/v1/applications", { body }));
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/applications/${id}/limits`);
    await page.getByRole("button", { name: "Add limit" }).click();
    const amount = page.getByLabel("Amount", { exact: true });
    await amount.fill("0");
    await fails({ page, button: "Save", faults: [["Limit 1, Amount", amount]] });
  };
  await asPerson(it, it.tollgate.administrator, flow, REFUSED);
});

test("a new API: a path that is not one", async () => {
  const flow = async ({ page }: { page: Page }) => {
    await page.goto("/publish/new");
    await read(page, parksDocument("http://127.0.0.1:9"));
    const path = page.getByLabel("Context", { exact: true });
    await path.fill("no path");
    await page.getByText("Business", { exact: true }).click();
    await fails({ page, button: "Save as draft", faults: [["Name and path, Context", path]] });
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

const TAKE = "Take the address that the document proposes";

test("a new version from a document: its name, and an address that cannot be taken", async () => {
  const { api } = await madeOf("Gardens");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/new?api=${api}`);
    await read(page, parksDocument("http://169.254.169.254/latest"));
    const name = page.getByLabel("Version name", { exact: true });
    await name.fill("a b");
    await page.getByText(TAKE, { exact: true }).click();
    await fails({
      page,
      button: "Create version a b",
      faults: [["New version of Gardens, Version name", name]],
    });
    await name.fill("2");
    const box = page.getByRole("checkbox", { name: TAKE });
    await fails({ page, button: "Create version 2", faults: [[`Upstream, ${TAKE}`, box]] });
    await page.getByText(TAKE, { exact: true }).click();
    await page.getByRole("button", { name: "Create version 2", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Gardens 2" }).waitFor();
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("a new document: an address that a secret must not go to leaves the differences", async () => {
  const credential = { header: { name: "x-key", value: "secret" } };
  const version = await versionOf("Meadows", { upstream: { url: it.backEnd.url, credential } });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/document`);
    await read(page, parksDocument("http://127.0.0.1:9/other"));
    const removed = page.getByRole("heading", { name: "Removed: 2 operations" });
    await removed.waitFor();
    const box = page.getByRole("checkbox", { name: TAKE });
    await page.getByText(TAKE, { exact: true }).click();
    await box.and(page.locator("[aria-invalid]")).waitFor();
    expect([await removed.count(), await page.getByRole("alert").count()]).toEqual([1, 0]);
    await fails({ page, button: "Save to draft", faults: [[`Upstream, ${TAKE}`, box]] });
    await page.getByText(TAKE, { exact: true }).click();
    await page.getByRole("button", { name: "Save to draft", exact: true }).click();
    await page.getByText("The new document is in the draft.").waitFor();
  };
  await asPerson(it, it.petra, flow, [...REFUSED, /status of 404/]);
});

test("a new contract: what does not fit it any more is on another page, which is linked", async () => {
  const steps = [{ policy: "let", name: "a", value: "1" }];
  const draft = { policies: { operations: [{ operations: ["POST /Add"], request: steps }] } };
  const wanted = { name: "Adder", upstream: it.backEnd.url, plans: ["business"], draft };
  const { version } = await publishedCalculator(it.petra.api, wanted, "soap_to_rest");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/document`);
    await read(page, CALCULATOR.replaceAll("Add", "Sum"));
    const save = page.getByRole("button", { name: "Save to draft", exact: true });
    await save.click();
    await page.getByRole("alert").getByText("1 fault", { exact: true }).waitFor();
    expect(await focusIn(save)).toBe(true);
    await page.getByRole("alert").getByRole("link", { name: "Policies" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.waitForURL(`**/publish/versions/${version}/policies`);
  };
  await asPerson(it, it.petra, flow, REFUSED);
});

test("a fault that no field has is shown below the button, which keeps the focus", async () => {
  const version = await versionOf("Broken");
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version}/upstream`);
    await page.getByLabel("Address", { exact: true }).first().fill("http://127.0.0.1:10");
    const recover = await failing(page);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    const alert = page.getByRole("alert");
    await alert.getByText("An internal error occurred.").waitFor();
    expect(await focusIn(save)).toBe(true);
    await recover();
    await save.click();
    await page.getByText("Saved in the draft.").waitFor();
    expect(await alert.count()).toBe(0);
  };
  await asPerson(it, it.petra, flow, [/status of 500/]);
});

test("a step that a new document makes invalid is named in words, with a link to it", async () => {
  const { api } = it.petra;
  const bare = petsDocument("1.0", [["get", "/pets", "listPets"]]);
  const content = { "application/json": { examples: { all: { value: [] } } } };
  const body = bare.replace('{"description":"fine"}', JSON.stringify({ description: "", content }));
  const params = { query: { name: "Mocked", context: "/mocked", version: "1.0" } };
  const importing = { params, body, ...asItIs("application/json") };
  const { version } = created(await done(api.POST("/api/v1/apis/import", importing)));
  const request = [{ policy: "mock", example: "all" }];
  await change(api, version.id, { policies: { request } });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto(`/publish/versions/${version.id}/document`);
    await read(page, bare);
    const fault = page.getByRole("listitem").filter({ hasText: "has no example" });
    const link = fault.getByRole("link", { name: "Policies: Requests, step 1, Mock, Example" });
    await link.waitFor();
    expect(await page.getByText("/policies/").count()).toBe(0);
    await link.click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Steps" }).first().waitFor();
  };
  await asPerson(it, it.petra, flow, REFUSED);
});
