// A publisher replaces the document of a version in use, sees who breaks before anything is saved,
// deploys it, and the previous document comes back with the previous revision.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { cardOf } from "../support/browser";
import { Clicks } from "../support/clicks";
import { CALCULATOR, CHANGED_CALCULATOR, petsDocument } from "../support/documents";
import { manyOperations } from "../support/large";
import { asPerson, deployDraft, publisherStage } from "../support/publisher";
import { asItIs, change, created, done, makeApi, move, publish } from "../support/seed";
import type { Person } from "../support/tollgate";

const it = publisherStage();
let dora: Person;

beforeAll(async () => {
  dora = await it.tollgate.person("dora", "developer");
});

const BEFORE = petsDocument("1.0", [
  ["get", "/pets", "listPets"],
  ["get", "/pets/mine", "listMine"],
  ["get", "/pets/{pet}", "showPet"],
  ["get", "/toys", "listToys"],
]);

async function importDocument(name: string, document: string): Promise<string> {
  const context = `/${name.toLowerCase()}`;
  const query = { name, context, version: "1.0" };
  const body = { params: { query }, body: document, ...asItIs("application/json") };
  const made = created(await done(it.petra.api.POST("/api/v1/apis/import", body)));
  return made.version.id;
}

/** Creates an application with a key that is subscribed to a version; returns the key. */
async function caller(name: string, version: string): Promise<string> {
  const { api } = dora;
  const { id: application } = await done(api.POST("/api/v1/applications", { body: { name } }));
  const body = { application, version, plan: "business" };
  await done(api.POST("/api/v1/subscriptions", { body }));
  const keys = "/api/v1/applications/{application}/keys";
  const params = { path: { application } };
  return (await done(api.POST(keys, { params, body: { name: "production" } }))).key ?? "";
}

/** Sends a dry run outside of the page until the calls of a removed operation are counted. */
async function callsAreCounted(version: string, document: string): Promise<void> {
  const params = { path: { version }, query: { dry_run: true } };
  // The API's types name the body by its media type, of which the client knows only JSON.
  const body = document as never;
  const areCounted = async () => {
    const options = { params, body, ...asItIs("application/json") };
    const replaced = await done(it.petra.api.PUT("/api/v1/versions/{version}/document", options));
    return replaced.removed.every(({ calls_last_day: calls }) => calls > 0);
  };
  await expect.poll(areCounted, { timeout: 20_000 }).toBe(true);
}

async function choose(page: Page, version: string, document: string): Promise<void> {
  await page.goto(`/publish/versions/${version}/document`);
  await read(page, document);
}

async function read(page: Page, document: string): Promise<void> {
  await page.getByLabel("Document", { exact: true }).fill(document);
  await page.getByRole("button", { name: "Read", exact: true }).click();
}

const save = (page: Page) => page.getByRole("button", { name: "Save to draft", exact: true });

async function documentOf(version: string): Promise<{ info: { version: string } }> {
  const params = { path: { version }, query: { of: "draft" } } as const;
  return (await done(it.petra.api.GET("/api/v1/versions/{version}/document", { params }))) as never;
}

test("who breaks is shown by name; deployed, the old document comes back with its revision", async () => {
  const { api } = it.petra;
  const version = await importDocument("Pets", BEFORE);
  await publish(api, version, it.backEnd.url);
  const key = await caller("Shop front", version);
  const call = async (path: string) =>
    (await fetch(`${it.tollgate.gateway}/pets/1.0${path}`, { headers: { apikey: key } })).status;
  expect([await call("/toys"), await call("/toys"), await call("/pets/mine")]).toEqual([
    200, 200, 200,
  ]);
  const after = petsDocument("1.1", [
    ["get", "/pets", "listPets"],
    ["get", "/pets/{pet}", "showPet"],
    ["get", "/owners", "listOwners"],
  ]);
  await callsAreCounted(version, after);

  await asPerson(it, it.petra, async ({ page }) => {
    await page.goto(`/publish/versions/${version}/document`);
    await page.getByText("OpenAPI 3.1.0, JSON").waitFor();
    const clicks = new Clicks();
    await page.getByLabel("Document", { exact: true }).fill(after);
    await clicks.on(page.getByRole("button", { name: "Read", exact: true }));
    const removed = cardOf(page, /^Removed: 2 operations$/).getByRole("listitem");
    const [trapped, gone] = [removed.nth(0), removed.nth(1)];
    await trapped.getByText("GET /pets/{pet} receives these calls instead").waitFor();
    await trapped.getByText("Access until now").waitFor();
    await trapped.getByText("Called by Shop front (1)").waitFor();
    await gone.getByText("/toys").waitFor();
    await gone.getByText("2 calls in the last 24 hours").waitFor();
    await gone.getByText("Called by Shop front (2)").waitFor();
    await gone.getByRole("button", { name: "Explain the rule operation_removed" }).click();
    await page.getByRole("dialog", { name: "Operation removed" }).waitFor();
    await page.keyboard.press("Escape");
    await cardOf(page, /^New: 1 operation$/)
      .getByText("/owners")
      .waitFor();
    expect(await call("/toys")).toBe(200);

    await clicks.on(save(page));
    await page.getByText("The new document is in the draft.").waitFor();
    expect(await call("/toys")).toBe(200);
    await clicks.on(page.getByRole("button", { name: "Deploy" }).last());
    await clicks.on(page.getByRole("dialog").getByRole("button", { name: "Deploy" }));
    await page.getByText("Revision 2 is served.").waitFor();
    clicks.print("replaced a document, who breaks seen, deployed");
    expect(await page.getByText("The new document is in the draft.").count()).toBe(0);
  });
  expect([await call("/toys"), await call("/pets/mine")]).toEqual([404, 200]);

  await asPerson(it, dora, async ({ page }) => {
    await page.goto(`/apis/${version}/reference`);
    await page.getByRole("link", { name: "listOwners" }).waitFor();
    expect(await page.getByRole("link", { name: "listToys" }).count()).toBe(0);
    const params = { path: { version } };
    const body = { revision: 1 };
    await done(api.PUT("/api/v1/versions/{version}/deployment", { params, body }));
    await page.reload();
    await page.getByRole("link", { name: "listToys" }).waitFor();
    expect(await page.getByRole("link", { name: "listOwners" }).count()).toBe(0);
  });
  expect(await call("/toys")).toBe(200);
});

test("a document that breaks callers becomes another version, which succeeds the first", async () => {
  const { api } = it.petra;
  const server = `${it.backEnd.url}/second`;
  const version = await importDocument("Kennels", BEFORE);
  await publish(api, version, it.backEnd.url);
  const after = JSON.stringify({
    ...(JSON.parse(petsDocument("2.0", [["get", "/pets", "listPets"]])) as object),
    servers: [{ url: server }],
  });
  await asPerson(it, it.petra, async ({ page }) => {
    await choose(page, version, after);
    await page.getByRole("heading", { name: "Removed: 3 operations" }).waitFor();
    await page.getByText("Take the address that the document proposes").click();
    const step = page.locator(":focus");
    await page.getByRole("button", { name: "New version from this document…" }).click();
    await step.getByRole("heading", { name: "New version of Kennels" }).waitFor();
    await step.getByRole("button", { name: "Back to the differences" }).click();
    await step.getByRole("heading", { name: "Removed: 3 operations" }).waitFor();
    expect(await page.getByRole("checkbox", { name: /^Take the address/ }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "New version from this document…" }).click();
    await page.getByText("Take the address that the document proposes").click();
    await page.getByRole("button", { name: "Create version 2.0" }).click();
    await page.getByRole("heading", { level: 1, name: "Kennels 2.0" }).waitFor();
    const made = page.url().split("/").at(-1) ?? "";
    const params = { path: { version: made } };
    const draft = await done(api.GET("/api/v1/versions/{version}/draft", { params }));
    expect(draft.upstream?.url).toBe(server);
    expect((await documentOf(version)).info.version).toBe("1.0");

    await page.getByRole("link", { name: "Revisions", exact: true }).click();
    await page.getByRole("button", { name: /Version of “From”$/ }).click();
    await page.getByRole("option", { name: "1.0" }).click();
    await page.getByRole("heading", { name: "1.0, Revision 1 → 2.0, Draft" }).waitFor();
    await page.getByText("3 changes break callers.").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "1.0, Revision 1 → 2.0, Draft" }).waitFor();
    // The version itself was never deployed.
    await page.getByRole("button", { name: /Version of “From”$/ }).click();
    await page.getByRole("option", { name: "2.0" }).click();
    await page.getByText("No differences.").waitFor();
    await page.getByRole("button", { name: /Draft From$/ }).waitFor();

    await move(api, made, "published");
    await page.goto(`/publish/versions/${version}`);
    await page.getByRole("button", { name: "Deprecate…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /2\.0.* Successor$/ }).waitFor();
    await dialog.getByRole("button", { name: "Deprecate", exact: true }).click();
    await page.getByRole("link", { name: "2.0" }).waitFor();
  });
});

test("where the draft breaks callers, another version is made from it", async () => {
  const { api } = it.petra;
  const version = await importDocument("Stables", BEFORE);
  await publish(api, version, it.backEnd.url);
  await asPerson(it, it.petra, async ({ page }) => {
    await choose(page, version, petsDocument("1.1", [["get", "/pets", "listPets"]]));
    await page.getByText("Compared: ").first().waitFor({ state: "attached" });
    await save(page).click();
    await page.getByText("The new document is in the draft.").waitFor();
    await page.goto(`/publish/versions/${version}/revisions?from=deployed&to=draft`);
    await page.getByRole("button", { name: "New version from this document…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /1\.0.* Copy from$/ }).waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("2.0");
    await dialog.getByRole("button", { name: "Create version" }).click();
    await page.getByRole("heading", { level: 1, name: "Stables 2.0" }).waitFor();
    const made = page.url().split("/").at(-1) ?? "";
    expect((await documentOf(made)).info.version).toBe("1.1");
  });
});

test("a double click saves once, and leaving before is confirmed", async () => {
  const version = await importDocument("Double", BEFORE);
  const after = petsDocument("1.1", [["get", "/pets", "listPets"]]);
  await asPerson(it, it.petra, async ({ page, apiCalls }) => {
    const saves: string[] = [];
    page.on("request", (request) => {
      const isSave = request.method() === "PUT" && !request.url().includes("dry_run");
      if (isSave) saves.push(request.url());
    });
    await page.goto(`/publish/versions/${version}`);
    await page.getByRole("link", { name: "Document", exact: true }).click();
    await read(page, after);
    await page.getByRole("heading", { name: "Removed: 3 operations" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Stay" }).click();
    await save(page).dblclick();
    await page.getByText("publishing the version deploys the draft").waitFor();
    expect(saves).toHaveLength(1);
    expect((await documentOf(version)).info.version).toBe("1.1");
    await page.reload();
    await page.getByText("1.1", { exact: true }).waitFor();
    expect(saves).toHaveLength(1);
    expect(apiCalls).toContain(`PUT /api/v1/versions/${version}/document`);
  });
});

test("if someone else changed the draft, what they changed is shown, and nothing is saved", async () => {
  const version = await importDocument("Shared", BEFORE);
  const after = petsDocument("1.1", [["get", "/pets", "listPets"]]);
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await choose(page, version, after);
      await page.getByRole("heading", { name: "Removed: 3 operations" }).waitFor();
      const operations = [{ method: "GET", path: "/pets" }];
      await change(it.petra.api, version, { operations, body_bytes_max: 4_096 });
      await save(page).click();
      const note = page.getByRole("alert").filter({ hasText: "changed by someone else" });
      await note.getByText("body_bytes_max").waitFor();
      await note.getByText("operations", { exact: true }).waitFor();
      expect((await documentOf(version)).info.version).toBe("1.0");
      await page.getByRole("heading", { name: /^Removed/ }).waitFor({ state: "hidden" });
      await save(page).click();
      await page.getByText("The new document is in the draft.").waitFor();
      expect((await documentOf(version)).info.version).toBe("1.1");
    },
    [/status of 412/],
  );
});

test("moved operations keep their settings if asked; the document's security applies if asked", async () => {
  const version = await importDocument("Moved", BEFORE);
  const { api } = it.petra;
  const operations = (JSON.parse(BEFORE) as { paths: object }).paths;
  await change(api, version, {
    security: { oauth2: {}, scopes: { read: "Read" } },
    operations: Object.keys(operations).map((path) => ({ method: "GET", path, scopes: ["read"] })),
  });
  const scopesOf = async (path: string) => {
    const params = { path: { version } };
    const draft = await done(api.GET("/api/v1/versions/{version}/draft", { params }));
    return draft.operations?.find((operation) => operation.path === path)?.scopes ?? [];
  };
  const after = petsDocument("1.1", [
    ["get", "/pets", "listPets"],
    ["get", "/pets/mine", "listMine"],
    ["get", "/pets/{pet}", "showPet"],
    ["get", "/playthings", "listToys"],
  ]);
  await asPerson(it, it.petra, async ({ page }) => {
    await choose(page, version, after);
    await cardOf(page, /^New without scopes: 1 operation$/)
      .getByText("every valid credential may call them")
      .waitFor();
    await page.getByText("Keep the settings").click();
    await page.getByRole("heading", { name: /^New without scopes/ }).waitFor({ state: "hidden" });
    await cardOf(page, /^New: 1 operation$/)
      .getByText("a token with read")
      .waitFor();
    await save(page).click();
    await page.getByText("The new document is in the draft.").waitFor();
    expect(await scopesOf("/playthings")).toEqual(["read"]);

    const secured = JSON.stringify({
      ...(JSON.parse(after) as object),
      security: [{ login: ["read"] }],
      components: {
        securitySchemes: {
          login: {
            type: "oauth2",
            flows: {
              clientCredentials: { tokenUrl: "/token", scopes: { read: "Read", own: "Own" } },
            },
          },
        },
      },
    });
    await choose(
      page,
      version,
      secured.replace(
        '"operationId":"showPet"',
        '"operationId":"showPet","security":[{"login":["own"]}]',
      ),
    );
    await page.getByRole("radio", { name: "As in the document" }).check({ force: true });
    await cardOf(page, /^Changed access: 1 operation$/)
      .getByText("a token with read → a token with own")
      .waitFor();
    await save(page).click();
    await page.getByText("The new document is in the draft.").waitFor();
    expect(await scopesOf("/pets/{pet}")).toEqual(["own"]);
  });
});

test("without a document before, only the operations are compared", async () => {
  const { version } = await makeApi(it.petra.api, "Parcels", "Where parcels are");
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await page.goto(`/publish/versions/${version}/document`);
      await page.getByText("The draft has no document.").waitFor();
      await read(page, BEFORE);
      await page.getByText("only the operations are compared").waitFor();
      await page.getByRole("heading", { name: "Removed: 1 operation" }).waitFor();
      await save(page).click();
      await page.getByText("OpenAPI 3.1.0, JSON").waitFor();
    },
    [/status of 404/],
  );
});

test("2,000 operations stay usable", async () => {
  const before = manyOperations(2_000);
  const version = await importDocument("Large", before);
  // Every operation of the first half changes its path, and with it all its callers break.
  const after = before.replaceAll(/"\/things(\d{1,2}|[1-4]\d\d)\//g, '"/objects$1/');
  await asPerson(it, it.petra, async ({ page }) => {
    await choose(page, version, after);
    const began = performance.now();
    await page.getByRole("heading", { name: "Removed: 1,000 operations" }).waitFor();
    const shown = cardOf(page, /^Removed/).getByRole("listitem");
    expect(await shown.count()).toBe(12);
    await page.getByRole("button", { name: "Show all removed operations" }).click();
    await shown.nth(499).waitFor();
    expect(await shown.count()).toBe(500);
    await page.getByRole("searchbox").fill("things499");
    await page.getByRole("heading", { name: "Removed: 2 operations" }).waitFor();
    const seconds = (performance.now() - began) / 1_000;
    console.log(`flow: 2,000 operations compared and searched: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(120);
  });
});

test("a new contract is saved to the draft, with its differences", async () => {
  const { api } = it.petra;
  const query = { name: "Sums", context: "/sums", version: "1.0", kind: "soap" } as const;
  const body = { params: { query }, body: CALCULATOR, ...asItIs("text/xml") };
  const made = created(await done(api.POST("/api/v1/apis/import/wsdl", body)));
  const version = made.version.id;
  await publish(api, version, `${it.backEnd.url}/soap`);
  await asPerson(
    it,
    it.petra,
    async ({ page }) => {
      await choose(page, version, BEFORE);
      await page.getByText("This is an OpenAPI document").first().waitFor();
      await choose(page, version, CHANGED_CALCULATOR);
      await page.getByText("Contracts have no preview").waitFor();
      await change(api, version, { body_bytes_max: 4_096 });
      await save(page).click();
      await page.getByText("Save again to replace the contract of the present draft.").waitFor();
      await save(page).click();
      const differences = cardOf(page, /^Differences$/).getByRole("listitem");
      await differences
        .filter({ hasText: "Subtract" })
        .getByText("added", { exact: true })
        .waitFor();
      await differences.filter({ hasText: "Add" }).getByText("changed", { exact: true }).waitFor();
      await deployDraft(page);
    },
    [/status of 412/],
  );
});
