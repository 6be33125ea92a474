// A save that fails moves the focus to the first faulty field, unfolded and in view, and lists the
// faults below the button, each with a button that leads to its field: one flow for each long form.

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { addStep } from "../states";
import { type Wanted, published } from "../support/apis";
import { failing } from "../support/failing";
import { asPerson, publisherStage } from "../support/publisher";
import { done } from "../support/seed";

const it = publisherStage();
const REFUSED = [/status of 422/];

async function versionOf(name: string, draft: Wanted["draft"] = {}): Promise<string> {
  const operations = [
    { method: "GET", path: "/things", anonymous: true },
    { method: "POST", path: "/things" },
  ];
  const wanted = { name, upstream: "http://127.0.0.1:9", plans: ["business"] };
  const made = await published(it.petra.api, { ...wanted, draft: { operations, ...draft } });
  return made.version;
}

const focusIn = (field: Locator) => field.evaluate((it) => it === document.activeElement);

/** Waits until a field has the focus, and checks that it is in the window. */
async function isShown(page: Page, field: Locator): Promise<void> {
  await expect.poll(() => focusIn(field)).toBe(true);
  const box = await field.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  expect(box && box.y >= 0 && box.y < height).toBe(true);
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
  if (first) await isShown(page, first[1]);
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
    await isShown(page, field);
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

test("upstreams: fields of both environments are told apart by their cards", async () => {
  const version = await versionOf("Backed");
  const flow = async ({ page }: { page: Page }) => {
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
  const document = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Parks", version: "1" },
    servers: [{ url: "http://127.0.0.1:9" }],
    paths: { "/parks": { get: { responses: {} } } },
  });
  const flow = async ({ page }: { page: Page }) => {
    await page.goto("/publish/new");
    await page.getByLabel("Document", { exact: true }).fill(document);
    await page.getByRole("button", { name: "Read" }).click();
    const path = page.getByLabel("Context", { exact: true });
    await path.fill("no path");
    await page.getByText("Business", { exact: true }).click();
    await fails({ page, button: "Save as draft", faults: [["Name and path, Context", path]] });
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
