// Untrusted documents: nothing of them runs, errors are shown as sentences, and thousands of
// operations cost little more than one.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled } from "../support/browser";
import { trying } from "../support/trying";

const it = trying();

const SCRIPT = "<script>globalThis.ran = true</script><img src=x onerror='globalThis.ran = true'>";

const described = (paths: object, schemas: object = {}) => ({
  openapi: "3.0.3",
  info: { title: SCRIPT, version: "1", description: SCRIPT },
  paths,
  components: { schemas },
});

const answers = (schema: object) => ({
  200: { description: SCRIPT, content: { "application/json": { schema } } },
});

/** Checks that nothing has run, and that following links runs nothing. */
async function expectInert(page: Page): Promise<void> {
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  expect(await page.locator("a[href^='javascript' i]").count()).toBe(0);
}

test("script in titles, descriptions and values, and links that run, are text", async () => {
  const schema = { type: "string", enum: [SCRIPT], description: SCRIPT, title: SCRIPT };
  const parameter = {
    name: "state",
    in: "query",
    schema,
    description: `${SCRIPT} [x](javascript:alert(1))`,
  };
  const description = `${SCRIPT}\n\n[bad](javascript:globalThis.ran=true) [good](https://example.com/)`;
  const get = { summary: SCRIPT, description, parameters: [parameter], responses: answers(schema) };
  const { version } = await it.described("Script", described({ "/things": { get } }));
  const { page, faults } = await it.stage.as(it.dora);
  await page.goto(`/apis/${version}/reference/get-things`);
  await settled(page);
  await page.getByRole("heading", { level: 1, name: SCRIPT }).waitFor();
  await page.getByRole("link", { name: "good" }).waitFor();
  await expectInert(page);
  expect(faults).toEqual([]);
});

test("metadata of a document is text in the catalogue, on its page and before its import", async () => {
  const get = { summary: SCRIPT, responses: answers({ $ref: "#/components/schemas/Node" }) };
  const node = { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } };
  const document = described({ "/things": { get } }, { Node: node });
  const { version } = await it.described("Told", document);
  const dora = await it.stage.as(it.dora);
  for (const address of ["/?q=told", `/apis/${version}`]) {
    await dora.page.goto(address);
    await settled(dora.page);
    await expectInert(dora.page);
  }
  const petra = await it.stage.as(it.petra);
  await petra.page.goto("/publish/new");
  await petra.page.getByLabel("Document", { exact: true }).fill(JSON.stringify(document));
  await petra.page.getByRole("button", { name: "Read", exact: true }).click();
  await petra.page.getByRole("heading", { name: "1 operation" }).waitFor();
  await petra.page.getByText(SCRIPT).first().waitFor();
  await expectInert(petra.page);
  expect([...dora.faults, ...petra.faults]).toEqual([]);
});

test("a recursive schema is opened only as deep as the user opens it", async () => {
  const node = {
    type: "object",
    properties: { name: { type: "string" }, next: { $ref: "#/components/schemas/Node" } },
  };
  const get = { summary: "Nodes", responses: answers({ $ref: "#/components/schemas/Node" }) };
  const { version } = await it.described("Cycle", described({ "/nodes": { get } }, { Node: node }));
  const { page, faults } = await it.stage.as(it.dora);
  await page.goto(`/apis/${version}/reference/get-nodes`);
  await settled(page);
  for (let depth = 1; depth <= 3; depth += 1) {
    await page.getByTitle("Show or hide what is in next").last().click();
    expect(await page.getByTitle("Show or hide what is in next").count()).toBe(depth + 1);
  }
  expect(faults).toEqual([]);
});

test("of 2,000 operations only the visible ones are rendered, and each can be found", async () => {
  const filler = "What it is for, in many words. ".repeat(80);
  const paths = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => {
      const get = {
        summary: `Thing ${at}`,
        description: filler,
        responses: answers({ type: "object" }),
      };
      return [`/things/${at}/{id}`, { get }];
    }),
  );
  const { version } = await it.described("Many", described(paths));
  const { page, faults } = await it.stage.as(it.dora);
  await page.goto(`/apis/${version}`);
  await settled(page);
  const began = performance.now();
  await page.goto(`/apis/${version}/reference`);
  await page.getByRole("heading", { level: 1, name: "Thing 0", exact: true }).waitFor();
  const ms = performance.now() - began;
  console.log(`2,000 operations: the first after ${Math.round(ms)} ms`);
  expect(await page.locator("*").count()).toBeLessThan(1_500);
  await page.getByRole("searchbox", { name: "Search operations" }).fill("thing 1987");
  await page.getByRole("link", { name: /Thing 1987/ }).click();
  await page.getByRole("heading", { level: 1, name: "Thing 1987", exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("an unknown operation is reported, with a link to the first one", async () => {
  const { version } = await it.api("Made", ["/things"]);
  const { page, faults } = await it.stage.as(it.dora);
  for (const named of [
    "get-nothing",
    "..%2F..%2Fx",
    "%3Cscript%3E",
    "__proto__",
    "x".repeat(2_000),
  ]) {
    await page.goto(`/apis/${version}/reference/${named}`);
    await page.getByText("The API has no such operation").waitFor();
  }
  await page.getByRole("link", { name: "Go to first operation" }).click();
  await page.waitForURL("**/reference/get-things");
  expect(faults).toEqual([]);
});

test("if the clipboard is refused, the code can be selected manually", async () => {
  const { version } = await it.api("Clip", ["/things"]);
  const { page, faults } = await it.stage.as(it.dora, [], { permissions: [] });
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  });
  await page.goto(`/apis/${version}/reference/get-things`);
  await settled(page);
  await page.getByRole("button", { name: "Copy: Code sample" }).click();
  await page.getByText("Select the text and copy it").waitFor();
  expect(faults).toEqual([]);
});
