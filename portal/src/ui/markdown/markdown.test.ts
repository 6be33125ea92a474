// Rendering of foreign text: entities, HTML of the allow-list, links, and hostile text.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test } from "vitest";
import { loadEntities } from "./entities";
import MarkdownParsed from "./MarkdownParsed";
import MarkdownWithHtml from "./MarkdownWithHtml";
import { DEPTH_MAX } from "./tidied";

beforeAll(loadEntities);

type Shown = typeof MarkdownParsed;
const shownBy = (shown: Shown) => (source: string) =>
  renderToStaticMarkup(createElement(shown, { source, headings: 3 }));
const html = shownBy(MarkdownWithHtml);
const parsed = shownBy(MarkdownParsed);
/** Returns the visible text. */
const words = (markup: string) =>
  markup
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

test("entities become characters, and unknown ones stay as written", () => {
  for (const show of [html, parsed]) {
    const shown = show("Salt &amp; pepper, 5 &lt; 6, A&nbsp;B &mdash; &nonsense; &#8364;");
    expect(words(shown)).toBe("Salt & pepper, 5 < 6, A\u00a0B — &nonsense; €");
  }
});

test("ten thousand entities are ten thousand characters", () => {
  const shown = words(parsed("&amp;&nope;".repeat(10_000)));
  expect(shown).toBe("&&nope;".repeat(10_000));
});

test("allowed HTML is kept, without style, class and id attributes", () => {
  expect(html("First line<br>second, <b>bold</b>")).toBe(
    "<p>First line<br/>second, <b>bold</b></p>",
  );
  const block = '<h2 id="s" class="x" style="color:red">スタート</h2><p align="center">はじめ</p>';
  expect(html(block)).toBe("<h3>スタート</h3><p>はじめ</p>");
  const table =
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>";
  expect(html(table)).toContain(table);
  expect(html('<ol start="3"><li>c</li></ol>')).toBe('<ol start="3"><li>c</li></ol>');
});

test("only web addresses are links; others become text", () => {
  const link = (href: string, shown: string) =>
    `<a href="${href}" rel="noreferrer noopener" target="_blank">${shown}</a>`;
  expect(html('<a href="https://example.com/x" onclick="run()">a link</a>')).toBe(
    `<p>${link("https://example.com/x", "a link")}</p>`,
  );
  for (const show of [html, parsed]) {
    expect(
      words(show("See [relative](/docs/x) and [anchor](#s) and [us](mailto:a@b.example)")),
    ).toBe("See relative (/docs/x) and anchor and us (a@b.example)");
    expect(show("[run](javascript:run()) [x](data:text/html,x) [y](JaVaScript:run())")).toBe(
      "<p>run x y</p>",
    );
    expect(show("[](https://example.com/)")).toContain(">https://example.com/<");
  }
  expect(html("See <https://auto.example> and www.example.org")).toBe(
    [
      `<p>See ${link("https://auto.example", "https://auto.example")}`,
      ` and ${link("http://www.example.org", "www.example.org")}</p>`,
    ].join(""),
  );
  expect(html('<a href="java&#10;script:run()">run</a>')).toBe("<p>run</p>");
});

test("images become links, and inline images become text", () => {
  for (const show of [html, parsed]) {
    expect(show("![diagram](https://example.com/d.png)")).toContain(
      'href="https://example.com/d.png" rel="noreferrer noopener" target="_blank">diagram</a>',
    );
    expect(show("![dot](data:image/png;base64,AAAA)")).toBe("<p>dot</p>");
    expect(show("[![build](https://a.example/b.svg)](https://a.example/ci)")).toBe(
      '<p><a href="https://a.example/ci" rel="noreferrer noopener" target="_blank">build</a></p>',
    );
  }
  expect(html('<img src="https://example.com/d.png">')).toContain(">Picture</a>");
});

test("tags that are not allowed are shown as written", () => {
  expect(words(html("Send Bearer <token>, List<String>"))).toBe(
    "Send Bearer <token>, List<String>",
  );
  expect(words(html("a <!-- not shown --> b"))).toBe("a  b");
  expect(words(html("before <!-- never closed\n\nafter"))).toContain("after");
  for (const swallows of [
    "plaintext",
    "textarea",
    "title",
    "xmp",
    "noscript",
    "select",
    "template",
  ]) {
    expect(words(html(`<${swallows}>one\n\ntwo three`))).toMatch(/^<[a-z]+>one\s+two three$/);
  }
});

test("layout is dropped, and its text stays separated", () => {
  expect(html("<div>one</div><div>two</div>")).toBe("<p>one</p><p>two</p>");
  expect(html("foo<span style='x'>bar</span>")).toBe("<p>foobar</p>");
});

const ATTACKS = [
  "<script>globalThis.ran = true</script>",
  "<img src=x onerror='globalThis.ran = true'>",
  "<a href='javascript:globalThis.ran = true'>go</a>",
  "<svg onload='globalThis.ran = true'><script>1</script></svg>",
  "<style>* { display: none }</style>",
  "<math><mtext><style><img src=x onerror=run()></style></mtext></math>",
  "<iframe srcdoc='<script>1</script>'></iframe>",
  "<form action='https://a.example'><input name=q><button>Go</button></form>",
  "<p style='position:fixed' class='x' id='page' name='y' onclick='run()'>words</p>",
  "<b/onmouseover=run()>words</b>",
  "<a href='https://a.example' target='_top' ping='https://b.example'>words</a>",
  "<base href='https://a.example'><meta http-equiv='refresh' content='0;url=https://a.example'>",
  "<noscript><p title='</noscript><img src=x onerror=run()>'></noscript>",
];

test("hostile text creates no elements and no attributes", () => {
  for (const attack of ATTACKS) {
    for (const source of [attack, `before ${attack} after`, `${attack}\n\n${attack}`]) {
      const shown = html(source);
      expect(shown).not.toMatch(/<(script|img|svg|style|iframe|form|input|base|meta|math)\b/);
      for (const [tag] of shown.matchAll(/<[a-z][^>]*>/g)) {
        expect(tag).toMatch(/^<(a href="https?:[^"]*" rel="[^"]*" target="_blank"|[a-z0-9]+)\/?>$/);
      }
    }
    const after = words(html(`before ${attack} after`));
    expect(after).toMatch(/^before [^]* after$/);
  }
});

/** Returns the nesting depth of elements. */
function depthOf(markup: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, end] of markup.matchAll(/<(\/?)[a-z][^>]*?>/g)) {
    depth += end === "/" ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

test("nesting is bounded, and no text is lost", () => {
  const nested = `${"<b>".repeat(3_000)}deep${"</b>".repeat(3_000)} after`;
  const open = `${"<blockquote><p>".repeat(3_000)}deep`;
  const formatting = `${"<b><table><tr><td></b></td></tr></table>".repeat(200)}deep`;
  const markdown = `${"> ".repeat(200)}deep`;
  for (const source of [nested, open, formatting, markdown]) {
    const shown = html(source);
    // The frame of a table adds one level.
    expect(depthOf(shown)).toBeLessThanOrEqual(DEPTH_MAX + 1);
    expect(words(shown)).toContain("deep");
  }
  expect(words(html(nested))).toBe("deep after");
});

test("a hundred unclosed paragraphs are a hundred paragraphs", () => {
  const shown = html(Array.from({ length: 100 }, (_, at) => `<p>word ${at}`).join(""));
  expect(shown.match(/<p>word \d+<\/p>/g)).toHaveLength(100);
});

test("headings begin below those of the page and skip no level", () => {
  expect(parsed("# a\n\n#### b\n\n## c\n\n# d")).toBe(
    "<h3>a</h3>\n<h4>b</h4>\n<h4>c</h4>\n<h3>d</h3>",
  );
});

test("task checkboxes become characters", () => {
  for (const show of [html, parsed])
    expect(words(show("- [ ] todo\n- [x] done"))).toMatch(/☐ todo\s+☑ done/);
});
