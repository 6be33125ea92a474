// Valid and hostile documents: nothing throws, and an invalid part is reported as a sentence.

import { expect, test } from "vitest";
import { listed } from "../../../tests/support/listed";
import { sampleText } from "./body";
import { isJson, isTypable, isXml } from "./media_types";
import { contents, operationOf } from "./operations";
import { follow } from "./pointer";
import { sampleOf } from "./sample";
import { describe, membersOf, typeOf } from "./schema";

const PETS = {
  openapi: "3.0.3",
  info: { title: "Pet store" },
  security: [{ api_key: [] }],
  paths: {
    "/pets": {
      get: { summary: "List pets", tags: ["pets"], responses: { "200": { description: "All." } } },
      post: {
        operationId: "add",
        requestBody: { $ref: "#/components/requestBodies/Pet" },
        security: [{ oauth2: ["write"] }, {}],
        responses: {},
      },
    },
    "/pets/{pet}": {
      parameters: [
        { name: "pet", in: "path", schema: { type: "string" } },
        { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
      ],
      get: {
        parameters: [{ name: "fields", in: "query", required: true, example: "name" }],
        responses: {
          200: {
            description: "The pet.",
            headers: { etag: { schema: { type: "string" } } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
          },
          404: { $ref: "#/components/responses/None" },
        },
      },
    },
  },
  components: {
    requestBodies: {
      Pet: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
    },
    responses: { None: { description: "No such pet." } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1, maxLength: 40 },
          born: { type: "string", format: "date" },
          owner: { $ref: "#/components/schemas/Owner" },
          tags: { type: "array", items: { type: "string" }, maxItems: 10 },
        },
      },
      Owner: {
        type: "object",
        properties: { pets: { type: "array", items: { $ref: "#/components/schemas/Pet" } } },
      },
    },
  },
};

function operation(document: object, slug: string) {
  const head = contents(listed(document)).operations.find((it) => it.slug === slug);
  if (head === undefined) throw new Error(`no ${slug}`);
  return operationOf(document, head);
}

test("operations are found in the order of the document", () => {
  const { operations, tags, faults } = contents(listed(PETS));
  expect(operations.map(({ slug, title }) => [slug, title])).toEqual([
    ["get-pets", "List pets"],
    ["post-pets", "add"],
    ["get-pets-pet", "/pets/{pet}"],
  ]);
  expect([tags, faults]).toEqual([["pets"], []]);
});

test("an operation's parameters override those of its path", () => {
  const { parameters, answers, faults } = operation(PETS, "get-pets-pet");
  expect(parameters.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ["pet", true],
    ["fields", true],
  ]);
  expect(parameters[1]?.example).toBe("name");
  expect(answers.map(({ status, description }) => [status, description])).toEqual([
    ["200", "The pet."],
    ["404", "No such pet."],
  ]);
  expect(answers[0]?.headers[0]?.name).toBe("etag");
  expect(faults).toEqual([]);
});

test("security is the operation's own, else the document's", () => {
  const own = operation(PETS, "post-pets");
  expect([own.scopes, own.isAnonymous]).toEqual([["write"], true]);
  const general = operation(PETS, "get-pets");
  expect([general.scopes, general.isAnonymous]).toEqual([[], false]);
});

test("a parameter that only the path names is a string", () => {
  const whole = operation({ paths: { "/a/{b}": { get: {} } } }, "get-a-b");
  expect(whole.parameters.map(({ name, in: place }) => [name, place])).toEqual([["b", "path"]]);
});

test("types are shown in one line", () => {
  const type = (schema: unknown) => typeOf(PETS, schema);
  expect(type({ $ref: "#/components/schemas/Pet" })).toBe("Pet");
  expect(type({ type: "array", items: { $ref: "#/components/schemas/Pet" } })).toBe("array of Pet");
  expect(type({ type: ["string", "null"] })).toBe("string or null");
  expect(type({ type: "string", nullable: true })).toBe("string or null");
  expect(type({ oneOf: [{ $ref: "#/components/schemas/Pet" }, { type: "null" }] })).toBe(
    "Pet or null",
  );
  expect(type({ allOf: [{ $ref: "#/components/schemas/Pet" }] })).toBe("Pet");
  expect(type({ enum: [1, 2] })).toBe("number");
  expect(type({})).toBe("anything");
  expect(type(false)).toBe("nothing");
});

test("constraints are described", () => {
  const words = (schema: unknown) => describe(PETS, schema).constraints.join(", ");
  expect(words({ type: "string", minLength: 1, maxLength: 40 })).toBe("1 to 40 characters");
  expect(words({ type: "string", format: "date" })).toBe("a date");
  expect(words({ type: "array", items: { type: "string" }, maxItems: 10 })).toBe(
    "at most 10 items",
  );
  expect(words({ type: "integer", minimum: 1, maximum: 9 })).toBe("1 to 9");
  expect(words({ minimum: 0, exclusiveMinimum: true })).toBe("above 0");
  expect(words({ exclusiveMinimum: 0, maximum: 1 })).toBe("above 0, at most 1");
  expect(words({ enum: ["cat", "dog"], default: "cat" })).toBe("one of cat, dog, cat when absent");
  expect(words({ type: "array", items: { enum: ["a"] } })).toBe("one of a");
});

test("members are marked as required, also through allOf", () => {
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Pet" }, { required: ["born"], properties: { age: {} } }],
  };
  const members = membersOf(PETS, schema);
  expect(members.map(({ name, isRequired }) => `${name}${isRequired ? "!" : ""}`)).toEqual([
    "id",
    "name!",
    "born!",
    "owner",
    "tags",
    "age",
  ]);
});

test("samples come from examples, else from schemas, and cycles are cut", () => {
  const pet = { $ref: "#/components/schemas/Pet" };
  const own = { name: "text", born: "2026-01-31", owner: { pets: [] }, tags: ["text"] };
  expect(sampleOf(PETS, pet, true)).toEqual(own);
  expect(sampleOf(PETS, pet, false)).toEqual({ id: 1, ...own });
  expect(sampleOf(PETS, { type: "string", example: "Rex" }, true)).toBe("Rex");
  expect(sampleOf(PETS, { type: "string", maxLength: 2 }, true)).toBe("te");
  const int = { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 };
  expect(sampleOf(PETS, int, true)).toBe(1);
  expect(sampleOf(PETS, { ...int, maximum: -5 }, true)).toBe(-5);
  expect(sampleOf(PETS, { type: "integer", minimum: 7, exclusiveMinimum: true }, true)).toBe(8);
  expect(sampleOf(PETS, { type: "number", exclusiveMinimum: 2.5 }, true)).toBe(3);
  expect(sampleOf(PETS, { anyOf: [{ type: "null" }, { type: "boolean" }] }, true)).toBe(true);
});

test("sample bodies have the syntax of their type", () => {
  const text = (type: string, schema: unknown, example?: unknown) =>
    sampleText(PETS, { type, schema, example }, true);
  expect(text("application/json", { type: "object", properties: { a: { type: "integer" } } })).toBe(
    '{\n  "a": 1\n}',
  );
  expect(text("application/x-www-form-urlencoded", undefined, { a: "b c" })).toBe("a=b+c");
  expect(text("application/xml", undefined, { a: "<", b: [1, 2] })).toBe(
    '<?xml version="1.0"?>\n<root>\n  <a>&lt;</a>\n  <b>1</b>\n  <b>2</b>\n</root>',
  );
  expect(text("text/plain", undefined, "hello")).toBe("hello");
  expect(isJson("application/problem+json; charset=utf-8")).toBe(true);
  expect(isXml("text/xml")).toBe(true);
  expect(isTypable("image/png") || isTypable("multipart/form-data")).toBe(false);
});

test("references are resolved, or a sentence explains why not", () => {
  const document = {
    a: { $ref: "#/b" },
    b: { $ref: "#/a" },
    c: { $ref: "#/d~1e/%66/1" },
    "d/e": { f: [0, { type: "string" }] },
  };
  expect(follow(document, document.c).value).toEqual({ type: "string" });
  expect(follow(document, { $ref: "#/c", description: "own" }).value).toEqual({
    type: "string",
    description: "own",
  });
  expect(follow(document, document.a).fault).toContain("refers back to itself");
  expect(follow(document, { $ref: "#/none" }).fault).toContain("points to nothing");
  expect(follow(document, { $ref: "#/__proto__" }).fault).toContain("points to nothing");
  expect(follow(document, { $ref: "http://x/y" }).fault).toContain("not followed");
});

/** Reads everything that the page reads from a document. */
function readWhole(document: object): number {
  const { operations } = contents(listed(document));
  for (const head of operations.slice(0, 50)) {
    const whole = operationOf(document, head);
    const schemas = [
      ...whole.parameters.map(({ schema }) => schema),
      ...[whole.body, ...whole.answers].flatMap(
        (it) => it?.bodies.map(({ schema }) => schema) ?? [],
      ),
    ];
    for (const schema of schemas) {
      describe(document, schema);
      for (const member of membersOf(document, schema)) describe(document, member.schema);
      sampleText(document, { type: "application/json", schema, example: undefined }, true);
      sampleText(document, { type: "application/xml", schema, example: undefined }, false);
    }
  }
  return operations.length;
}

function nested(depth: number): unknown {
  let schema: unknown = { type: "string" };
  for (let at = 0; at < depth; at += 1) {
    schema = { type: "object", properties: { a: schema }, items: schema, allOf: [schema] };
  }
  return schema;
}

test("an operation of an invalid document is empty and throws nothing", () => {
  const [head] = contents(listed({ paths: { "/": { get: {} } } })).operations;
  if (head === undefined) throw new Error("no operation");
  const odd = [undefined, null, 0, "text", [], true, { paths: [] }, { paths: { "/": null } }];
  for (const document of odd) {
    expect(operationOf(document, head), JSON.stringify(document)).toMatchObject({ answers: [] });
  }
});

test("every member may have a wrong type", () => {
  const wrong = [
    null,
    0,
    "x",
    [],
    {},
    true,
    [null],
    { $ref: 1 },
    { $ref: "#/paths" },
    { "": null },
  ];
  const names = ["type", "items", "properties", "allOf", "oneOf", "required", "enum", "format"];
  for (const bad of wrong) {
    const schema = Object.fromEntries(
      [...names, "additionalProperties", "minLength"].map((it) => [it, bad]),
    );
    const media = { "application/json": { schema, example: bad, examples: bad } };
    const get = {
      summary: bad,
      tags: bad,
      parameters: [bad, { name: "a", in: "query", schema, content: bad }],
      requestBody: { content: media, required: bad },
      responses: { 200: { content: media, headers: bad }, default: bad },
      security: bad,
    };
    expect(readWhole({ info: bad, paths: { "/": { parameters: bad, get } } })).toBe(1);
    readWhole({ paths: { "/": { get: { parameters: bad, requestBody: bad, responses: bad } } } });
  }
});

test("deep, cyclic and huge documents are read in bounded time", () => {
  const began = performance.now();
  const cycle = { type: "object", properties: {}, allOf: [{ $ref: "#/components/schemas/A" }] };
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: "#/components/schemas/A" }]),
  );
  const schemas = {
    A: { ...cycle, properties: many, oneOf: [{ $ref: "#/components/schemas/A" }] },
  };
  const get = (schema: unknown) => ({
    get: { responses: { 200: { content: { "application/json": { schema } } } } },
  });
  readWhole({ paths: { "/": get({ $ref: "#/components/schemas/A" }) }, components: { schemas } });
  readWhole({ paths: { "/": get(nested(2_000)) } });
  const paths = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [`/things/${at}/{id}`, get(nested(3))]),
  );
  expect(readWhole({ paths })).toBe(2_000);
  expect(performance.now() - began).toBeLessThan(20_000);
});
