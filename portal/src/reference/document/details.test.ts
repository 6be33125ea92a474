// Parts of a document besides parameters: examples, headers, links, callbacks, webhooks, contact.

import { expect, test } from "vitest";
import { listed } from "../../../tests/support/listed";
import { aboutOf, isEmpty, tagsOf } from "./about";
import { choicesOf } from "./choices";
import { contents, operationOf } from "./operations";

const schemas = {
  Cat: { type: "object", properties: { kind: { const: "cat" } } },
  Dog: { allOf: [{ $ref: "#/components/schemas/Base" }], title: "A dog" },
  Base: {
    type: "object",
    properties: { kind: { type: "string" } },
    discriminator: { propertyName: "kind", mapping: { c: "Cat", d: "#/components/schemas/Dog" } },
  },
};
const media = { "application/json": { schema: { $ref: "#/components/schemas/Cat" } } };
const DOCUMENT = {
  openapi: "3.1.0",
  components: {
    schemas,
    examples: { tom: { summary: "Tom **the** cat", value: { kind: "cat" } } },
    headers: { Total: { required: true, description: "All", schema: { type: "integer" } } },
  },
  paths: {
    "/animals": {
      description: "Of the path.",
      post: {
        description: "Of the operation.",
        externalDocs: { url: "https://example.com/docs", description: "More" },
        requestBody: {
          content: {
            "application/json": {
              examples: { tom: { $ref: "#/components/examples/tom" }, bad: 7, none: {} },
            },
          },
        },
        callbacks: {
          done: {
            "{$request.body#/url}": { post: { summary: "Done", requestBody: { content: media } } },
          },
          bad: 7,
        },
        responses: {
          "x-internal": true,
          200: {
            headers: { "X-Total": { $ref: "#/components/headers/Total" } },
            links: { next: { operationId: "list", parameters: { page: "$response.body#/next" } } },
          },
        },
      },
    },
  },
  webhooks: { come: { post: { summary: "Come", requestBody: { content: media } } }, bad: 7 },
};

function opened(slug: string) {
  const head = contents(listed(DOCUMENT)).operations.find((it) => it.slug === slug);
  if (head === undefined) throw new Error(`no ${slug}`);
  return operationOf(DOCUMENT, head);
}

test("named examples, headers, links and callbacks are read; invalid ones are left out", () => {
  const { description, docs, body, answers, callbacks } = opened("post-animals");
  expect(description).toBe("Of the path.\n\nOf the operation.");
  expect(docs).toEqual({ url: "https://example.com/docs", description: "More" });
  expect(body?.bodies[0]?.examples).toEqual([
    { name: "tom", summary: "Tom the cat", value: { kind: "cat" } },
  ]);
  expect(answers.map(({ status }) => status)).toEqual(["200"]);
  expect(answers[0]?.headers[0]).toMatchObject({ name: "X-Total", isRequired: true });
  expect(answers[0]?.links).toEqual([
    {
      name: "next",
      description: undefined,
      operation: "list",
      parameters: [["page", "$response.body#/next"]],
    },
  ]);
  expect(callbacks).toHaveLength(1);
  expect(callbacks?.[0]).toMatchObject({ name: "done", method: "POST", title: "Done" });
});

test("faults of the document are reported with their locations", () => {
  const fault = { field: "/webhooks/bad", code: "openapi.form", detail: "this is no path item" };
  const { faults } = contents({ ...listed(DOCUMENT), faults: [fault] });
  expect(faults).toEqual(["/webhooks/bad: this is no path item"]);
});

test("webhooks are operations that the API calls", () => {
  const { operations } = contents(listed(DOCUMENT));
  expect(operations.map(({ slug, isWebhook }) => [slug, isWebhook])).toEqual([
    ["post-animals", undefined],
    ["post-come", true],
  ]);
  expect(opened("post-come").body?.bodies[0]?.type).toBe("application/json");
});

test("a discriminator is a choice by its values, with alternatives or without", () => {
  const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }];
  const { discriminator } = schemas.Base;
  const names = (schema: object) => choicesOf(DOCUMENT, schema).choices.map(({ name }) => name);
  expect(names({ oneOf, discriminator })).toEqual(["c", "d"]);
  expect(names({ oneOf })).toEqual(["Cat", "Dog"]);
  expect(names({ type: "array", items: { anyOf: oneOf } })).toEqual(["Cat", "Dog"]);
  expect(choicesOf(DOCUMENT, { $ref: "#/components/schemas/Base" })).toMatchObject({
    property: "kind",
    choices: [{ name: "c" }, { name: "d" }],
  });
  expect(names({ oneOf: [{ type: "string" }, { type: "null" }] })).toEqual([]);
});

test("contact, licence and terms are read; only web addresses are links", () => {
  const info = {
    summary: "Animals",
    contact: { name: "Us", email: "us@example.com", url: "javascript:run()" },
    license: { name: "MIT", url: "https://example.com/mit" },
    termsOfService: "data:text/html,x",
  };
  const about = aboutOf({ info, externalDocs: { url: "https://example.com/" } });
  expect(about).toEqual({
    summary: "Animals",
    contact: { name: "Us", email: "us@example.com", url: undefined },
    licence: { name: "MIT", url: "https://example.com/mit" },
    terms: undefined,
    docs: { url: "https://example.com/", description: undefined },
  });
  for (const nothing of [undefined, 7, { info: [] }, { info: { contact: "us" } }]) {
    expect(isEmpty(aboutOf(nothing))).toBe(true);
  }
  expect(tagsOf({ tags: [{ name: "a", description: 7 }, 7, {}] })).toEqual([
    { name: "a", description: undefined, docs: undefined },
  ]);
});
