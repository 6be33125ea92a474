// Foreign text in a real browser under the page's policy: entities, HTML of the allow-list, hostile
// text, and parts that fail without breaking the page.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, sidewaysFindings } from "../support/checks";
import { settled } from "../support/browser";
import { ROOT } from "../support/tollgate";
import { trying } from "../support/trying";

const it = trying();

const answers = { 200: { description: "Fine &amp; good" } };
const about = (description: string, get: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "Text", version: "1", description },
  paths: { "/things": { get: { description, responses: answers, ...get } } },
});

async function opened(page: Page, version: string): Promise<void> {
  await page.goto(`/apis/${version}/reference/get-things`);
  await settled(page);
}

test("entities are characters on the reference and on the version's page", async () => {
  const description = "Salt &amp; pepper, 5 &lt; 6, A&nbsp;B &mdash; all, &nonsense; too";
  const shown = "Salt & pepper, 5 < 6, A\u00a0B — all, &nonsense; too";
  const document = about(description, { summary: "Ask &amp; answer" });
  const { version } = await it.described("Entity", document);
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, version);
  await page.getByRole("heading", { level: 1, name: "Ask & answer" }).waitFor();
  await page.getByText(shown).first().waitFor();
  await page.getByText("Fine & good").waitFor();
  await page.goto(`/apis/${version}`);
  await page.getByText(shown).first().waitFor();
  expect(faults).toEqual([]);
});

test("ten thousand entities are shown", async () => {
  const { version } = await it.described("Entities", about("&amp;&nope; ".repeat(10_000)));
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, version);
  await page.getByText("&&nope; &&nope;").first().waitFor();
  expect(faults).toEqual([]);
});

const HTML = `First line<br>second line, <a href="https://example.com/x">a link</a>, <b>bold</b>.

![diagram](https://example.com/d.png)

<h2 id="s">スタート</h2><p>はじめての方は</p>

- [ ] todo

| Code | Meaning |
|------|---------|
| \`1\`  | one     |

See [relative](/docs/x) and [anchor](#s) and <https://auto.example>, Bearer <token>.`;

test("HTML of the allow-list is formatted, and its parser is loaded only where a < occurs", async () => {
  const summary = "Get **it** <i>now</i>";
  const { version } = await it.described("Html", about(HTML, { summary }));
  const plain = await it.described("NoHtml", about("Only **Markdown** here"));
  const { page, faults } = await it.stage.as(it.dora);
  const files: string[] = [];
  page.on("request", (request) => files.push(new URL(request.url()).pathname));
  await opened(page, plain.version);
  await page.locator("strong", { hasText: "Markdown" }).first().waitFor();
  const isOfHtml = (file: string) => file.includes("MarkdownWithHtml");
  expect(files.filter(isOfHtml)).toEqual([]);
  await opened(page, version);
  await page.getByRole("heading", { level: 1, name: "Get it now", exact: true }).waitFor();
  await page.getByRole("heading", { name: "スタート" }).first().waitFor();
  expect(files.filter(isOfHtml)).not.toEqual([]);
  const text = await page.locator("main").innerText();
  expect(text).toContain("First line\nsecond line, a link, bold.");
  expect(text).toContain("relative (/docs/x) and anchor and https://auto.example, Bearer <token>.");
  await page.getByRole("link", { name: "diagram" }).first().waitFor();
  await page.getByRole("cell", { name: "one" }).first().waitFor();
  expect(await page.locator("main img, main [style*=color]").count()).toBe(0);
  expect([...(await axeFindings(page)), ...(await sidewaysFindings(page))]).toEqual([]);
  expect(faults).toEqual([]);
});

test("titles are plain text before an import, too", async () => {
  const { page, faults } = await it.stage.as(it.petra);
  await page.goto("/publish/new");
  const document = about("Things", { summary: "Get **it** <i>now</i>" });
  await page.getByLabel("Document", { exact: true }).fill(JSON.stringify(document));
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await page.getByText("Get it now", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("the HTML parser is at most 50 KB", () => {
  const folder = join(ROOT, "portal/dist/assets");
  const files = readdirSync(folder).filter((name) => /^MarkdownWithHtml-.*\.js$/.test(name));
  const sizes = files.map(
    (name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length,
  );
  expect(sizes).toHaveLength(1);
  expect(sizes[0]).toBeLessThan(50_000);
});

const RAN = "globalThis.ran = true";
const ATTACKS = [
  `<script>${RAN}</script>`,
  `<img src=x onerror='${RAN}'>`,
  `<a href='javascript:${RAN}'>go</a> [go](javascript:${RAN})`,
  `<svg onload='${RAN}'><circle r=9></svg>`,
  "<style>* { display: none }</style>",
  `<img src='data:image/svg+xml,<svg onload=${RAN}>'> ![](data:image/png;base64,AAAA)`,
  `<iframe srcdoc='<script>${RAN}</script>'></iframe>`,
];

test("hostile text runs nothing, sends no request and hides nothing", async () => {
  const description = `Begin\n\n${ATTACKS.map((it) => `before ${it} after\n\n${it}`).join("\n\n")}\n\nEnd`;
  const { version } = await it.described("Attack", about(description));
  const { page, faults } = await it.stage.as(it.dora);
  await opened(page, version);
  for (const word of ["Begin", "End"]) {
    await page.getByText(word, { exact: true }).first().waitFor();
  }
  for (const link of await page.getByText("go", { exact: true }).all()) {
    await link.click({ trial: false });
  }
  expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
  const foreign = "main :is(script, img, iframe, style, a[href^='javascript' i])";
  expect(await page.locator(foreign).count()).toBe(0);
  expect(faults).toEqual([]);
});

test("1 MB of nested <b>, and quotes inside quotes, are shown within a second", async () => {
  const name = "Deep";
  const nested = `${"<b>".repeat(340_000)}inside`;
  const quotes = `${">".repeat(19_000)} inside`;
  for (const [at, description] of [nested, quotes].entries()) {
    const { version } = await it.described(`${name}${at}`, about(description));
    const { page, faults } = await it.stage.as(it.dora);
    await opened(page, version);
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    const depth = await page.evaluate(() => {
      const depthOf = (element: Element): number =>
        1 + Math.max(0, ...[...element.children].map(depthOf));
      return depthOf(document.body);
    });
    expect(depth).toBeLessThan(100);
    expect(faults).toEqual([]);
  }
});

test("a text that cannot be formatted is shown as written", async () => {
  const { version } = await it.described("Lost", about("Some **Markdown** here"));
  const { page } = await it.stage.as(it.dora, [/./]);
  await page.route(/\/assets\/MarkdownParsed-[^/]*\.js$/, (route) => route.abort());
  await opened(page, version);
  await page.getByText("This text cannot be formatted.").first().waitFor();
  await page.getByText("Some **Markdown** here").first().waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
});

const FAILED = "This part cannot be shown.";

test("a part that fails is replaced by a sentence, and the page stays", async () => {
  const example = { marker: "this breaks" };
  const schema = { type: "object", properties: { odd: { type: "object", default: example } } };
  const content = { "application/json": { schema } };
  const responses = { 200: { description: "Odd", content } };
  const { version } = await it.described("Breaks", about("Odd", { summary: "Odd", responses }));
  const { page } = await it.stage.as(it.dora, [/./]);
  await page.addInitScript(() => {
    const { stringify } = JSON;
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      const written = stringify(...given) as string | undefined;
      if (written?.includes("this breaks")) throw new Error("broken on purpose");
      return written;
    }) as typeof stringify;
    const trim = (text: string) => text.replace(/^\s+|\s+$/g, "");
    String.prototype.trim = function (this: string) {
      if (this.startsWith("200 OK")) throw new Error("broken on purpose");
      return trim(this);
    };
  });
  await opened(page, version);
  await page.getByRole("heading", { level: 1, name: "Odd" }).waitFor();
  const failed = page.getByText(FAILED);
  await failed.first().waitFor();
  const before = await failed.count();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("status").getByText(FAILED).waitFor();
  expect(await failed.count()).toBe(before + 1);
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
});

test("a chart that fails leaves its totals", async () => {
  const { page } = await it.stage.as(it.dora, [/./]);
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => {
      throw new Error("broken on purpose");
    };
  });
  await page.goto(`/applications/${it.application}/usage`);
  await settled(page);
  await page.getByText(FAILED).first().waitFor();
  await page.getByText("Answered").first().waitFor();
});
