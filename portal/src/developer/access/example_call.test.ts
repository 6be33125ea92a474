import { expect, test } from "vitest";
import { listed } from "../../../tests/support/listed";
import { contents, operationOf } from "../../reference/document/operations";
import { describeSoap } from "../../reference/soap/described";
import { CALCULATOR } from "../../../tests/support/documents";
import { exampleCall } from "./example_call";

const callOf = (document: object) => {
  const operation = operationOf.bind(null, document);
  return exampleCall({ document, contents: contents(listed(document)), operation }, ADDRESS);
};
const ADDRESS = "http://gateway/pets/1.0";

test("the first call only reads, and needs as few values as possible", () => {
  const paths = {
    "/pets/{pet}": { get: { parameters: [{ name: "pet", in: "path", required: true }] } },
    "/pets": { post: {}, get: {} },
  };
  const call = callOf({ openapi: "3.1.0", paths });
  expect(call).toMatchObject({ method: "GET", url: `${ADDRESS}/pets` });
});

test("examples of the document are used, else default values", () => {
  const parameters = [
    { name: "pet", in: "path", required: true, schema: { type: "string", example: "rex" } },
    { name: "day", in: "query", required: true, schema: { type: "integer" } },
    { name: "page", in: "query" },
  ];
  const document = { openapi: "3.1.0", paths: { "/pets/{pet}": { get: { parameters } } } };
  expect(callOf(document).url).toBe(`${ADDRESS}/pets/rex?day=1`);
});

test("a parameter described by JSON content has JSON", () => {
  const content = { "application/json": { example: [1, 2] } };
  const parameters = [{ name: "q", in: "query", required: true, content }];
  const document = { openapi: "3.1.0", paths: { "/": { get: { parameters } } } };
  expect(callOf(document).url).toBe(`${ADDRESS}/?q=%5B1%2C2%5D`);
});

test("a webhook is not called", () => {
  const webhooks = { born: { get: {} } };
  const document = { openapi: "3.1.0", paths: { "/pets": { post: {} } }, webhooks };
  expect(callOf(document)).toMatchObject({ method: "POST", url: `${ADDRESS}/pets` });
  expect(callOf({ openapi: "3.1.0", webhooks }).url).toBe(`${ADDRESS}/`);
});

test("the body is the initial body of try-it", () => {
  const bodyOf = (content: object) =>
    callOf({ openapi: "3.1.0", paths: { "/": { post: { requestBody: { content } } } } }).body;
  const properties = {
    name: { type: "string", example: "Rex" },
    sizes: { type: "array", items: { type: "integer" }, example: [1, 2] },
  };
  const schema = { type: "object", properties };
  const encoding = { sizes: { explode: false } };
  const type = "application/x-www-form-urlencoded";
  const text = { kind: "text", type, text: "name=Rex&sizes=1,2" };
  expect(bodyOf({ [type]: { schema, encoding } })).toEqual(text);
  expect(bodyOf({ "multipart/form-data": { schema } })).toMatchObject({
    kind: "form",
    parts: ["Rex", "1", "2"].map((content) => ({ content })),
  });
  const json = { kind: "text", type: "application/json" };
  expect(bodyOf({ "*/*": { schema } })).toMatchObject(json);
  const file = { schema: { type: "string", format: "binary" } };
  expect(bodyOf({ "image/png": file })).toBeUndefined();
  expect(bodyOf({ "image/png": file, "application/json": { schema } })).toMatchObject(json);
});

test("an empty document results in a call of the version's root", () => {
  for (const document of [{}, { paths: 1 }]) {
    expect(callOf(document).url).toBe(`${ADDRESS}/`);
  }
});

test("a first call of a SOAP service carries an envelope", () => {
  const call = exampleCall(describeSoap([CALCULATOR]), ADDRESS);
  expect(call).toMatchObject({ method: "POST", url: ADDRESS });
  expect(call.body).toMatchObject({ kind: "text", type: "text/xml; charset=utf-8" });
  expect(JSON.stringify(call.body)).toContain("Envelope");
  expect(call.headers).toContainEqual(["soapaction", '"urn:calculator/Add"']);
});
