import { expect, test } from "vitest";
import { titleOf } from "./title";

test("titles are plain text without Markdown or HTML, and entities become characters", () => {
  const titles: [string, string][] = [
    ["Get **it** <i>now</i>", "Get it now"],
    ["Ask &amp; answer &#8364; &#x20ac;", "Ask & answer € €"],
    ["# List *all* `pets` of [a shop](https://a.example)", "List all pets of a shop"],
    ["Line<br/>break", "Line break"],
    ["__Very__ _important_ ~~old~~", "Very important old"],
  ];
  for (const [written, plain] of titles) expect(titleOf(written)).toBe(plain);
});

test("characters that belong to a title are kept", () => {
  const same = ["list_all_pets", "2 * 3 * 4", "Get <id>", "a_b_c", "AT&T", "&bogus;", "f(x)[0]"];
  same.push("<script>globalThis.ran = true</script>", "&#xD800;", "Get List<String>");
  for (const title of same) expect(titleOf(title)).toBe(title);
});

test("a title of markup alone is empty", () => {
  for (const nothing of ["", "  ", "<b></b>", 7, undefined])
    expect(titleOf(nothing)).toBe(undefined);
});

test("hostile titles take no time", () => {
  const began = performance.now();
  for (const part of ["*a", "_a ", "`", "[", "<b ", "**"]) titleOf(part.repeat(100_000));
  expect(performance.now() - began).toBeLessThan(3_000);
});
