import { expect, test } from "vitest";
import { exampleCall } from "./example_call";

const ADDRESS = "http://gateway/pets/1.0";

test("a first call reads, and needs as little as there is", () => {
  const paths = {
    "/pets/{pet}": { get: { parameters: [{ name: "pet", in: "path", required: true }] } },
    "/pets": { post: {}, get: {} },
  };
  const call = exampleCall({ openapi: "3.1.0", paths }, ADDRESS);
  expect(call).toMatchObject({ method: "GET", url: `${ADDRESS}/pets` });
});

test("values that the document gives are used, and something where it gives none", () => {
  const parameters = [
    { name: "pet", in: "path", required: true, schema: { type: "string", example: "rex" } },
    { name: "day", in: "query", required: true, schema: { type: "integer" } },
    { name: "page", in: "query" },
  ];
  const document = { openapi: "3.1.0", paths: { "/pets/{pet}": { get: { parameters } } } };
  expect(exampleCall(document, ADDRESS).url).toBe(`${ADDRESS}/pets/rex?day=1`);
});

test("a document that says nothing leads to the version's root", () => {
  for (const document of [undefined, null, {}, { paths: 1 }]) {
    expect(exampleCall(document, ADDRESS).url).toBe(`${ADDRESS}/`);
  }
});
