import { describe, expect, it } from "vitest";
import { BYTES_MAX, linesAt, looksLikeWsdl, recognise } from "./documents";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a document is recognised by its content", () => {
  it.each([
    ['{"openapi":"3.1.0"}', "openapi", "application/json"],
    ["# pets\nopenapi: 3.0.3\n", "openapi", "application/yaml"],
    ['{"swagger":"2.0"}', "openapi", "application/json"],
    ['<?xml version="1.0"?><definitions/>', "wsdl", "text/xml"],
    ["\ufeff<definitions/>", "wsdl", "text/xml"],
  ])("%s", (text, form, contentType) => {
    expect(recognise(bytes(text))).toMatchObject({ form, contentType });
  });

  it("an archive by its first bytes", () => {
    expect(recognise(new Uint8Array([0x50, 0x4b, 3, 4, 0xff]))).toMatchObject({
      form: "wsdl",
      contentType: "application/zip",
    });
  });

  it("XML in another encoding, which it declares", () => {
    const latin = new Uint8Array([
      ...bytes('<?xml version="1.0" encoding="iso-8859-1"?><a>'),
      0xe9,
    ]);
    expect(recognise(latin)).toMatchObject({ form: "wsdl" });
  });

  it.each([
    ["", "empty"],
    ["<!DOCTYPE html><html>", "html"],
    ["hello", "unknown"],
  ])("what is none: %s", (text, why) => {
    expect(recognise(bytes(text))).toBe(why);
  });

  it("documents that are too large, or not text", () => {
    expect(recognise(new Uint8Array(BYTES_MAX + 1))).toBe("too_large");
    expect(recognise(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).toBe("encoding");
  });
});

describe("addresses of WSDLs", () => {
  it.each([
    ["https://a.example/shop?wsdl", true],
    ["https://a.example/shop.svc?singleWsdl", true],
    ["https://a.example/openapi.json", false],
  ])("%s", (url, is) => expect(looksLikeWsdl(url)).toBe(is));
});

describe("the lines of a fault", () => {
  it("are shown with the faulty line marked", () => {
    expect(linesAt("a\nb\nc\nd", "expected a colon at line 3, column 1")).toBe(
      "      2  b\n>     3  c\n      4  d",
    );
  });

  it("are none if the fault names no line", () => {
    expect(linesAt("a", "the title is empty")).toBeUndefined();
  });
});
