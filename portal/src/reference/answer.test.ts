import { expect, test } from "vitest";
import { FIRST_BYTES, extensionOf, shownOf } from "./body_shown";
import { prettyJson, prettyXml } from "./pretty";
import { codeOf, soapFaultOf } from "./refusal";
import { headersOf } from "./trial";

test("JSON is indented, and keeps every character", () => {
  const big = '{"a":[1,2.50,12345678901234567890],"b":{},"c":[],"d":"x: {[\\"","e":{"f":null}}';
  const pretty = prettyJson(big);
  expect(pretty.split("\n").slice(0, 5)).toEqual([
    "{",
    '  "a": [',
    "    1,",
    "    2.50,",
    "    12345678901234567890",
  ]);
  expect(pretty).toContain('"b": {},');
  expect(pretty.replaceAll(/\s/g, "")).toBe(big.replaceAll(/\s/g, ""));
  expect(prettyJson('{"a":[1,{"b')).toContain('"b');
  expect(prettyJson(prettyJson(big))).toBe(pretty);
});

test("XML is indented, and texts stay on their lines", () => {
  const xml =
    '<?xml version="1.0"?><a x=">"><b>1 &lt; 2</b><c/><!-- <d> --><e><![CDATA[<f>]]></e><g></g></a>';
  expect(prettyXml(xml)).toBe(
    [
      '<?xml version="1.0"?>',
      '<a x=">">',
      "  <b>1 &lt; 2</b>",
      "  <c/>",
      "  <!-- <d> -->",
      "  <e><![CDATA[<f>]]></e>",
      "  <g></g>",
      "</a>",
    ].join("\n"),
  );
  expect(prettyXml("<a><b")).toContain("<");
  expect(prettyXml("</a></b></c>")).toContain("</c>");
  expect(prettyXml("<a>".repeat(5_000)).length).toBeGreaterThan(5_000);
});

test("bodies are text, empty, or binary", async () => {
  const shown = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
    shownOf(new Blob([body]), type, FIRST_BYTES);
  expect(await shown("", "text/plain")).toEqual({ kind: "empty" });
  expect(await shown("<b>", "text/html")).toMatchObject({ kind: "text", text: "<b>" });
  expect(await shown('{"a":1}', "application/json")).toMatchObject({ text: '{\n  "a": 1\n}' });
  expect(await shown("not json", "application/json")).toMatchObject({ text: "not json" });
  expect(await shown(new Uint8Array([0xff, 0xfe, 0]), "")).toEqual({ kind: "binary" });
  expect(await shown("a\0b", "text/plain")).toEqual({ kind: "binary" });
  expect(await shown("PNG", "image/png")).toEqual({ kind: "binary" });
  expect(await shown(new Uint8Array([0xe9]), "text/plain; charset=iso-8859-1")).toMatchObject({
    text: "é",
  });
});

test("a long body is cut, also within a character", async () => {
  const long = `x${"é".repeat(FIRST_BYTES)}`;
  const shown = await shownOf(new Blob([long]), "text/plain", FIRST_BYTES);
  expect(shown).toMatchObject({ kind: "text", cutAt: FIRST_BYTES });
  expect(shown.kind === "text" && shown.text.length).toBe(FIRST_BYTES / 2);
});

test("refusals and faults are distinguished", () => {
  expect(codeOf(401, '{"code": "authenticate.missing"}')).toBe("authenticate.missing");
  expect(codeOf(200, '{"code": "authenticate.missing"}')).toBeUndefined();
  expect(codeOf(500, "<a><code>admit.api</code></a>")).toBe("admit.api");
  expect(codeOf(404, "<html>")).toBeUndefined();
  expect(codeOf(404, "[1]")).toBeUndefined();
  expect(soapFaultOf("<s:Fault><faultstring>no &lt;b&gt;</faultstring></s:Fault>")).toBe("no <b>");
  const fault12 = '<e:Fault><e:Reason><e:Text xml:lang="en">No.</e:Text></e:Reason></e:Fault>';
  expect(soapFaultOf(fault12)).toBe("No.");
  expect(soapFaultOf("<Body><sum>5</sum></Body>")).toBeUndefined();
});

test("credentials are sent as headers", () => {
  expect(headersOf({ api_key: { header: "apikey", key: "k" } })).toEqual([["apikey", "k"]]);
  expect(headersOf({ token: "t" })).toEqual([["authorization", "Bearer t"]]);
  expect(headersOf({ basic: { user_name: "a", password: "b" } })).toEqual([
    ["authorization", `Basic ${btoa("a:b")}`],
  ]);
  expect(headersOf({ trial: "p" })).toEqual([["x-tollgate-try-it", "p"]]);
  expect(headersOf({ trial: "p" }, true)).toEqual([["x-tollgate-try-it", "p;fresh"]]);
});

test("files are named by their type", () => {
  expect(
    ["application/json", "text/xml", "image/png", "text/plain; x", "x/y"].map(extensionOf),
  ).toEqual(["json", "xml", "png", "txt", "bin"]);
});
