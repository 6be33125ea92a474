import { expect, test } from "vitest";
import { controlOf } from "./control";
import { violationsOf } from "./violations";

const DOCUMENT = {
  components: {
    schemas: {
      Cat: { type: "object", required: ["lives"], properties: { lives: { type: "integer" } } },
      Dog: { type: "object", required: ["bark"], properties: { bark: { type: "boolean" } } },
      Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } },
      Kind: { type: "string", enum: ["cat", "dog"] },
      Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] },
    },
  },
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const found = (schema: unknown, value: unknown) =>
  violationsOf(DOCUMENT, schema, value).map(({ at, words }) => `${at} ${words}`.trim());

test.each<[schema: unknown, good: unknown, bad: unknown, words: string]>([
  [{ type: "integer" }, 3, 3.5, "must be a whole number"],
  [{ type: "number" }, 3.5, "3", "must be a number"],
  [{ type: ["string", "null"] }, null, 1, "must be a text or null"],
  [{ type: "string", nullable: true }, null, false, "must be a text"],
  [{ type: "boolean" }, true, "true", "must be true or false"],
  [{ enum: ["a", { b: 1 }] }, { b: 1 }, "c", 'must be one of a, {"b":1}'],
  [{ const: 7 }, 7, 8, "must be 7"],
  [{ minLength: 2, maxLength: 3 }, "🐕🐕", "🐕", "must have 2 to 3 characters"],
  [{ pattern: "^[a-z]+$" }, "rex", "Rex", "must match ^[a-z]+$"],
  [{ pattern: "(" }, "anything", undefined, ""],
  [
    { type: "string", format: "date" },
    "2026-01-31",
    "31.1.2026",
    "must be a date such as 2026-01-31",
  ],
  [
    { format: "date-time" },
    "2026-01-31T12:00:00.5+02:00",
    "2026-01-31 12:00",
    "must be a date and time such as 2026-01-31T12:00:00Z",
  ],
  [{ format: "uuid" }, "3fa85f64-5717-4562-b3fc-2c963f66afa6", "3fa85f64", "must be a UUID"],
  [{ minimum: 1 }, 1, 0, "must be at least 1"],
  [{ maximum: 9 }, 9, 10, "must be at most 9"],
  [{ exclusiveMinimum: 1 }, 2, 1, "must be above 1"],
  [{ maximum: 9, exclusiveMaximum: true }, 8, 9, "must be below 9"],
  [{ multipleOf: 0.1 }, 0.3, 0.35, "must be a multiple of 0.1"],
  [{ minItems: 1, maxItems: 1 }, [1], [], "must have exactly 1 item"],
  [{ uniqueItems: true }, [1, "1"], [{ a: 1 }, { a: 1 }], "must not have the same item twice"],
  [{ items: { type: "string" } }, ["a"], ["a", 1], "/1 must be a text"],
  [{ required: ["a"] }, { a: null }, {}, "must have the member a"],
  [
    { required: ["id"], properties: { id: { readOnly: true } }, type: "object" },
    {},
    [],
    "must be an object",
  ],
  [
    { properties: { a: ref("Cat") } },
    { a: { lives: 7 } },
    { a: {} },
    "/a must have the member lives",
  ],
  [
    { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false },
    { a: 1, "x-b": 2 },
    { b: 1 },
    "must not have the member b",
  ],
  [
    { additionalProperties: { type: "integer" } },
    { a: 1 },
    { a: "1" },
    "/a must be a whole number",
  ],
  [{ minProperties: 1 }, { a: 1 }, {}, "has too few or too many members"],
  [
    { allOf: [ref("Cat"), ref("Dog")] },
    { lives: 7, bark: true },
    { lives: 7 },
    "must have the member bark",
  ],
  [
    { anyOf: [ref("Cat"), ref("Dog")] },
    { bark: true },
    {},
    "matches none of the alternatives of its schema",
  ],
  [
    { oneOf: [ref("Cat"), ref("Dog")] },
    { bark: true },
    { lives: 7, bark: true },
    "matches more than one of the alternatives of its schema",
  ],
  [
    {
      oneOf: [ref("Cat"), ref("Dog")],
      discriminator: { propertyName: "kind", mapping: { dog: "Dog" } },
    },
    { kind: "dog", bark: true },
    { kind: "dog", lives: 7 },
    "must have the member bark",
  ],
  [ref("Kind"), "cat", "cow", "must be one of cat, dog"],
  [ref("Loop"), 1, undefined, ""],
  [ref("Missing"), 1, undefined, ""],
])("%j", (schema, good, bad, words) => {
  expect(found(schema, good)).toEqual([]);
  if (bad !== undefined) expect(found(schema, bad)).toEqual([words]);
});

test("a large or deep value and a costly pattern take no noticeable time", () => {
  const began = performance.now();
  const many = Array.from({ length: 500_000 }, () => ({ lives: 7 }));
  expect(found({ type: "array", items: ref("Cat") }, many)).toEqual([]);
  let deep: object = {};
  for (let level = 0; level < 10_000; level += 1) deep = { next: deep };
  expect(found(ref("Node"), deep)).toEqual([]);
  expect(found({ pattern: "^(a+)+$" }, `${"a".repeat(200)}!`)).toEqual([]);
  const texts = Array.from({ length: 100_000 }, () => `${"a".repeat(99)}b`);
  expect(found({ items: { pattern: "a*a*b" } }, texts)).toEqual([]);
  const slow = Array.from({ length: 100_000 }, () => "a".repeat(100));
  expect(found({ items: { anyOf: [{ pattern: "a*a*b" }, { type: "string" }] } }, slow)).toEqual([]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("alternatives that the limits leave unchecked are not reported", () => {
  const pet = { oneOf: [ref("Cat"), ref("Dog")] };
  const many = Array.from({ length: 250_000 }, () => ({ lives: 7 }));
  expect(found({ items: pet }, many)).toEqual([]);
  const tree = {
    components: {
      schemas: {
        Tree: {
          properties: { next: ref("Tree") },
          oneOf: [{ required: ["next"] }, { maxProperties: 0 }],
        },
      },
    },
  };
  let deep: object = {};
  for (let level = 0; level < 200; level += 1) deep = { next: deep };
  expect(violationsOf(tree, ref("Tree"), deep)).toEqual([]);
  expect(found({ items: pet }, [{ lives: 7, bark: true }])).toHaveLength(1);
});

test("a read-only member may be absent, wherever the schema requires it", () => {
  const properties = { id: { type: "string", readOnly: true }, name: { type: "string" } };
  const required = ["id", "name"];
  for (const schema of [
    { allOf: [{ required }, { properties }] },
    { allOf: [{ allOf: [{ properties }] }, { allOf: [{ required }] }] },
    { properties, oneOf: [{ required }, { required: ["other"] }] },
    { properties, oneOf: [{ allOf: [{ required }] }] },
  ]) {
    expect(found(schema, { name: "Rex" })).toEqual([]);
    expect(found(schema, {})).toHaveLength(1);
  }
});

test("a few values are choices, and dates have a date field", () => {
  const kind = (schema: unknown) => {
    const control = controlOf(DOCUMENT, schema);
    return "values" in control ? [control.kind, ...control.values] : control.kind;
  };
  expect(kind({ allOf: [ref("Kind")] })).toEqual(["choice", "cat", "dog"]);
  expect(kind({ type: "integer", enum: [1, 2, 2, null] })).toEqual(["choice", "1", "2"]);
  expect(kind({ type: ["boolean", "null"] })).toEqual(["choice", "true", "false"]);
  expect(kind({ const: "a" })).toEqual(["choice", "a"]);
  expect(kind({ enum: Array.from({ length: 201 }, (_, at) => at) })).toBe("text");
  expect(kind({ type: "string", format: "date" })).toBe("date");
  expect(kind({ type: "string", format: "date-time" })).toBe("date-time");
  expect(kind({ type: "array", items: ref("Kind") })).toEqual(["choices", "cat", "dog"]);
  expect(kind({ type: "array", items: { type: "string" } })).toBe("list");
  expect(kind(ref("Cat"))).toBe("json");
  expect(kind({ type: "string" })).toBe("text");
});
