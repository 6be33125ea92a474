// States of pages that take more than one press of a button: new objects, conflicts, refusals. Each
// brings an open page into the state by user actions, and uses a new name every time.

import { explainWords } from "../src/text/en/explain";
import type { Locator, Page } from "playwright-core";
import { DESKTOP } from "./support/browser";
import { ORDERS } from "./support/documents";
import type { Made } from "./pages";

type Way = (page: Page, made: Made) => Promise<void>;

/** Presses the first button with this name. */
export const press = (button: string) => async (page: Page) => {
  await page.getByRole("button", { name: button }).first().click();
};

const pressInDialog = (page: Page, button: string) =>
  page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();

/** Opens an address. */
export const open =
  (address: string): Way =>
  async (page) => {
    await page.goto(address);
  };

/** Pastes a document to publish. */
export const paste = (document: string) => async (page: Page) => {
  await page.getByLabel("Document", { exact: true }).fill(document);
  await page.getByRole("button", { name: "Read" }).click();
};

let made = 0;
const another = (what: string) => `${what} ${(made += 1)}`;

/** Fills in the form behind a button and submits it; then a secret is shown. */
export function make(button: string, fields: Record<string, string>, submit = button): Way {
  return async (page) => {
    await press(button)(page);
    for (const [label, value] of Object.entries(fields)) {
      await page.getByLabel(label, { exact: true }).fill(another(value).replaceAll(" ", "-"));
    }
    await pressInDialog(page, submit);
    await page.getByText(/not shown again/i).waitFor();
  };
}

/** Rotates the first credential, with the default grace period. */
export async function rotate(page: Page): Promise<void> {
  await press("Rotate")(page);
  await pressInDialog(page, "Rotate");
  await page.getByText(/not shown again/i).waitFor();
}

/** Gets a key for an API and sends the first call. */
export async function firstCall(page: Page): Promise<void> {
  await press("Get a key")(page);
  await pressInDialog(page, "Create key");
  await pressInDialog(page, "Send");
  await page.getByRole("region", { name: "Response body" }).waitFor();
}

/** Publishes a document under an unused name. */
export async function publish(page: Page): Promise<void> {
  const name = another("Orders");
  await paste(ORDERS.replace("title: Orders", `title: ${name}`))(page);
  await page.getByLabel("Context").fill(`/${name.toLowerCase().replace(" ", "-")}`);
  await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:9");
  await page.getByText("Business", { exact: true }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "Published" }).waitFor();
}

/** Creates a second version and opens the dialog that publishes it and deprecates the first. */
export async function succeed(page: Page): Promise<void> {
  await press("New version…")(page);
  await page.getByLabel("Name", { exact: true }).fill(another("2").replace(" ", "."));
  await pressInDialog(page, "Create version");
  await press("Publish…")(page);
  await page.getByRole("dialog").getByText("1.0", { exact: true }).click();
}

/** Opens try-it, which is behind a bar in a narrow window. */
async function openTryIt(page: Page): Promise<void> {
  const bar = page.getByRole("button", { name: "Try it", exact: true });
  if (await bar.isVisible()) await bar.click();
}

/** Sends a call; as `nobody` without a credential, so that it is refused. */
export const send = (as: "somebody" | "nobody") => async (page: Page) => {
  await openTryIt(page);
  if (as === "nobody") {
    await page.getByRole("button", { name: / As$/ }).click();
    await page.getByRole("option", { name: "without a credential" }).click();
  }
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("region", { name: "Response body" }).waitFor();
};

/** More calls than the application's plan allows per minute. */
const PLAN_CALLS = 25;

/** Sends a call after others with its key have used up the plan's limit. */
export async function sendTooOften(page: Page): Promise<void> {
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.headers()["apikey"] !== undefined),
    send("somebody")(page),
  ]);
  const headers = { apikey: request.headers()["apikey"] ?? "" };
  for (let calls = 0; calls < PLAN_CALLS; calls += 1)
    await page.request.get(request.url(), { headers });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("429 Too Many Requests", { exact: true }).waitFor();
}

interface Session {
  csrf: string;
}

/** Calls the HTTP API with the page's session, but outside the page. */
async function beside(page: Page, method: string, path: string, data?: object): Promise<void> {
  const session = await page.request.get("/api/v1/session");
  const { csrf } = (await session.json()) as Session;
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { "x-csrf-token": csrf, "content-type": type };
  const answer = await page.request.fetch(`/api/v1${path}`, { method, headers, data });
  if (!answer.ok()) throw new Error(`${method} ${path}: ${await answer.text()}`);
}

/** Creates a second version as a draft, and presses its button on the API's page. */
export const besideDraft =
  (button: string): Way =>
  async (page, { api }) => {
    const name = another("2").replace(" ", ".");
    await beside(page, "POST", `/apis/${api}/versions`, { name });
    await page.reload();
    await page.getByRole("row", { name }).first().getByRole("button", { name: button }).click();
  };

/** Edits a draft that is changed concurrently. */
export async function conflict(page: Page, { version }: Made): Promise<void> {
  const address = page.getByLabel("Address", { exact: true }).first();
  const before = await address.inputValue();
  const save = (url: string) =>
    beside(page, "PATCH", `/versions/${version}/draft`, { upstream: { url } });
  await address.fill("http://127.0.0.1:7001");
  await save("http://127.0.0.1:7002");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("dialog").getByRole("row", { name: "upstream.url" }).waitFor();
  await save(before);
}

/** Opens the dialog that edits all operations, to replace their limits and scopes. */
export async function editAll(page: Page): Promise<void> {
  await page.getByText(/^Select all/).click();
  await press("Edit…")(page);
  for (const list of ["Limits", "Scopes"]) {
    await page.getByRole("button", { name: new RegExp(`${list}$`) }).click();
    await page.getByRole("option", { name: "Replace" }).click();
  }
}

type Choices = Readonly<Record<string, RegExp>>;

/** Chooses an option of each list in a group of fields. */
async function choose(page: Page, group: Locator, choices: Choices): Promise<void> {
  for (const [list, option] of Object.entries(choices)) {
    await group.getByRole("button", { name: new RegExp(`${list}$`) }).click();
    await page.getByRole("option", { name: option }).click();
  }
}

const limitAt = (page: Page, number: number) =>
  page.getByRole("group", { name: `Limit ${number}`, exact: true });

/** Adds a limit to the first list of the page, without saving. */
async function addLimit(page: Page, number: number, amount: string, choices: Choices = {}) {
  await press("Add limit")(page);
  const limit = limitAt(page, number).first();
  await limit.getByLabel("Amount", { exact: true }).fill(amount);
  await choose(page, limit, choices);
  return limit;
}

/** Adds a limit of each kind, without saving. */
export async function addLimits(page: Page): Promise<void> {
  await addLimit(page, 1, "600");
  const bucket = await addLimit(page, 2, "20", { Counted: /^Evenly/, Unit: /^second/ });
  await bucket.getByLabel("At once", { exact: true }).fill("5");
}

/** Limits an operation of a version for one plan, without saving. */
export async function limitOperation(page: Page): Promise<void> {
  await press("Limit operation…")(page);
  await page.getByRole("dialog").getByRole("checkbox").first().press("Space");
  await pressInDialog(page, "Choose");
  const fields = page.getByRole("group", { name: /^Limits of / });
  await fields.getByRole("button", { name: "Add limit" }).click();
  await fields.getByLabel("Amount", { exact: true }).fill("10");
  await fields.getByText("Conditions, plans and name").click();
  await fields.getByText("trial", { exact: true }).click();
}

/** Fills in a plan with limits of many kinds, without saving. */
export async function fillPlan(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).first().fill("gold-plus");
  await page.getByLabel("Title").fill("Gold plus");
  const bucket = limitAt(page, 1);
  await bucket.getByLabel("Amount", { exact: true }).fill("5000");
  await choose(page, bucket, { Counted: /^Evenly/ });
  await bucket.getByLabel("At once", { exact: true }).fill("1000");
  const month = await addLimit(page, 2, "1000000", {
    Unit: /^month/,
    "Beyond it": /^Allow overage/,
  });
  await month.getByLabel("Time zone").fill("Europe/Berlin");
  await month.getByLabel("Counted from").fill("2026-01-31");
  await month.getByLabel("Overage, %").fill("10");
  await addLimit(page, 3, "20", { Of: /^Concurrency/ });
  const free = await addLimit(page, 4, "60", { "For each": /^Client address/ });
  await free.getByText("Conditions and name").click();
  await choose(page, free, { "Applies to": /^Calls that pass tests/ });
  await free.getByRole("button", { name: "Add test" }).click();
  await choose(page, free, { "Test of": /^Header/ });
  const test = free.getByRole("group", { name: "Test 1" });
  await test.getByLabel("Name").fill("x-tier");
  await test.getByLabel("Values").fill("free*");
}

/** Creates a plan with faults, which is rejected. */
export async function planFaults(page: Page): Promise<void> {
  await limitAt(page, 1).getByLabel("Amount", { exact: true }).fill("0");
  const day = await addLimit(page, 2, "5", { Unit: /^day/ });
  await day.getByLabel("Time zone").fill("Europe/Nowhere");
  await addLimit(page, 3, "5", { Counted: /^Evenly/ });
  await press("Create plan")(page);
  await limitAt(page, 3).getByText("A burst must be 1 to 1000000.").waitFor();
}

const nameField = (page: Page) => page.getByLabel("Name", { exact: true }).last();

/** Adds a step to the shown list of policies. */
export async function addStep(page: Page, policy: string): Promise<void> {
  await press("Add step")(page);
  await page.getByRole("menuitem", { name: new RegExp(`^${policy} `) }).click();
}

/** Adds a step of each form of input, without saving. */
export async function addSteps(page: Page): Promise<void> {
  await addStep(page, "Set header");
  await nameField(page).fill("x-plan");
  await page.getByLabel("Value", { exact: true }).fill("{{ caller.plan }}");
  await page.getByLabel("Only if").last().fill('caller.plan == "trial"');
  await addStep(page, "JSON template");
  await page.getByLabel("Template", { exact: true }).fill('{"order": {"id": "{{ body.id }}"}}');
  for (const policy of ["Edit JSON", "Replace text", "Respond", "Remove headers"]) {
    await addStep(page, policy);
  }
  await page.getByRole("button", { name: "Add header" }).click();
}

/** Tries steps on both messages, without saving. */
export async function dryRun(page: Page): Promise<void> {
  await addStep(page, "Set header");
  await nameField(page).fill("x-plan");
  await page.getByLabel("Value", { exact: true }).fill("{{ caller.plan }}");
  await addStep(page, "Remove query parameters");
  await page.getByLabel("Names").fill("utm_*");
  await page.getByLabel("Only if").last().fill('request.method == "PURGE"');
  await page.getByRole("tab", { name: /^Responses/ }).click();
  await addStep(page, "JSON template");
  await page.getByLabel("Template", { exact: true }).fill('{"all": "{{ body }}"}');
  await page.getByText("Caller and refusal").click();
  await page.getByLabel("Plan", { exact: true }).fill("gold");
  await press("Run")(page);
  await page.getByRole("heading", { name: "Response to the caller" }).waitFor();
}

export async function openCors(page: Page): Promise<void> {
  await page.getByText("Allow pages of other origins").click();
  await page
    .getByLabel("Origins", { exact: true })
    .fill("https://shop.example\nhttps://till.example");
  for (const choice of await page.getByText("Only these").all()) await choice.click();
}

/** Turns the cache of the version on, with all sections open, without saving. */
export async function openCache(page: Page): Promise<void> {
  await page.getByText("Store responses", { exact: true }).click();
  await page.getByText("Only these parameters").click();
  for (const section of ["Stale responses and errors", "Size, requests, status"]) {
    await page.getByText(section).click();
  }
}

/** Gives an operation a cache of its own, without saving. */
export async function addOwnCache(page: Page): Promise<void> {
  await press("Add operations…")(page);
  await page.getByRole("dialog").getByRole("checkbox").first().press("Space");
  await pressInDialog(page, "Choose");
  await page.getByRole("button", { name: /^Close the cache of / }).waitFor();
}

export async function openPurge(page: Page): Promise<void> {
  await press("Purge…")(page);
  await page.getByText("Some responses").click();
}

/** Saves a cache with faults in most fields. */
export async function cacheFaults(page: Page): Promise<void> {
  await page.getByText("Store responses", { exact: true }).click();
  await page.getByLabel("Fresh for, seconds").fill("0");
  await page.getByLabel("Headers in the key").fill("accept\ncookie");
  await page.getByLabel("Headers that pass").fill("Accept");
  await page.getByText("Stale responses and errors").click();
  await page.getByLabel("Stored errors").fill("429 5");
  await press("Save")(page);
  await page
    .getByText(/^429: /)
    .first()
    .waitFor();
}

/** Saves upstreams with addresses that cannot be one. */
export async function upstreamFaults(page: Page): Promise<void> {
  const addresses = page.getByLabel("Address", { exact: true });
  await addresses.first().fill("ftp://127.0.0.1");
  await addresses.last().fill("nowhere");
  await press("Save")(page);
  await page.getByText("2 faults", { exact: true }).waitFor();
}

/** Saves ten steps without values, which are rejected. */
export async function tenFaults(page: Page): Promise<void> {
  for (let step = 0; step < 10; step += 1) await addStep(page, "Set header");
  await press("Save")(page);
  await page.getByText("10 faults", { exact: true }).waitFor();
}

/** Fills the list of requests with the maximum number of steps, without saving. */
export async function longestList(page: Page): Promise<void> {
  // Folded rows on a phone have no buttons.
  const size = page.viewportSize() ?? DESKTOP;
  await page.setViewportSize(DESKTOP);
  await addStep(page, "Set header");
  await nameField(page).fill("x-plan");
  await page.getByLabel("Value", { exact: true }).fill("{{ caller.plan }}");
  await press("Set header x-plan")(page);
  for (let step = 1; step < STEPS_MAX; step += 1) await press("Duplicate step 1,")(page);
  await page.setViewportSize(size);
}

const STEPS_MAX = 64;

/** Ends the session while a form is open: the form stays below the sign-in dialog. */
export async function loseSession(page: Page): Promise<void> {
  await press("Create token")(page);
  await page.getByLabel("Token name").fill("pipeline");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await pressInDialog(page, "Create token");
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await page.context().addCookies(cookies);
}

/** Removes a file of the page permanently. */
export async function breakPage(page: Page): Promise<void> {
  const gone = /\/assets\/ExplainPage-[^/]*\.js$/;
  await page.route(gone, (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto("/explain");
  await page.getByRole("heading", { level: 1, name: "This page failed" }).waitFor();
  await page.unroute(gone);
}

/** The latest call of the signed-in user that was refused, or that was not. */
const latestCall = (page: Page, isRefused: boolean): Promise<string> =>
  page.evaluate(async (refused) => {
    const answer = await fetch(`/api/v1/usage/calls?limit=1&refused=${refused}`);
    const { items } = (await answer.json()) as { items: { request_id: string }[] };
    return items[0]?.request_id ?? "";
  }, isRefused);

/** Opens the explanation of the latest call that was refused, or that was not. */
export const explainLatest = (isRefused: boolean) => async (page: Page) => {
  await page.goto(`/explain?call=${await latestCall(page, isRefused)}`);
};

/** Pastes the fault of the latest refused call, as a SOAP service gets it. */
export async function pasteFault(page: Page): Promise<void> {
  const id = await latestCall(page, true);
  const fault = `<s:Fault xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">
    <faultcode>s:Client</faultcode><faultstring>The limit is used up.</faultstring><detail>
    <code>admit.subscription</code><request_id>${id}</request_id></detail></s:Fault>`;
  await page.getByLabel(explainWords.paste).fill(fault);
  await page.getByRole("button", { name: "Explain", exact: true }).click();
}

export const oneTimePassword = make("Create user", { Name: "nils" }, "Create user");

/** Chooses a document that replaces that of a draft, and waits for the differences. */
export const compare = (document: string) => async (page: Page) => {
  await paste(document)(page);
  await page.getByRole("heading", { name: /^Removed: / }).waitFor();
};

/** Opens the explanation of a rule, beside the differences of a document. */
export const explainRule = (document: string) => async (page: Page) => {
  await compare(document)(page);
  await press("Explain the rule operation_removed")(page);
};
