// Bodies in the shapes of foreign documents: those of a payment service, a code host, an
// orchestrator, generated ones, and ones with faults. Each is a schema, or a media type.

const string = { type: "string" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const closed = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});
const needs = (required: string[], properties: object, more: object = {}) => ({
  type: "object",
  required,
  properties,
  ...more,
});
const of = (schema: unknown) => needs(["it"], { it: schema });

const components = {
  schemas: {
    In: needs(["objectId"], { objectId: { ...string, example: null } }, { example: null }),
    Mercedes: needs(["name", "foo"], { name: string, foo: string }),
    Bmw: needs(["name"], { name: string, bar: string }),
    Cat: needs(["kind"], { kind: { const: "cat" }, lives: { type: "integer", maximum: 9 } }),
    Dog: needs(["kind"], { kind: { const: "dog" }, barks: { type: "boolean" } }),
    Pet: {
      oneOf: [ref("Cat"), ref("Dog")],
      discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat" } },
    },
    Base: needs(["id", "type"], { id: { ...string, readOnly: true }, type: string }),
    Card: { allOf: [ref("Base"), needs(["number"], { number: { pattern: "^\\d{16}$" } })] },
    Node: needs(["value"], { value: string, next: ref("Node"), all: { items: ref("Node") } }),
    Endless: needs(["parent"], { parent: { anyOf: [ref("Endless"), { type: "null" }] } }),
    Endless2: needs(["parent"], { parent: ref("Endless2") }),
    NullableEnd: needs(["up"], { up: { ...ref("NullableEnd"), nullable: true } }),
    State: { type: "string", enum: [null, "open", "closed"], nullable: true },
    Quantity: { oneOf: [string, { type: "number" }] },
    Ports: needs(["ports"], {
      ports: { type: "array", minItems: 2, uniqueItems: true, items: { type: "integer" } },
    }),
    Deep: deep(12),
    Wide: needs(["last"], {
      ...Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`m${at}`, deep(3)])),
      last: string,
    }),
  },
};

function deep(levels: number): object {
  return levels === 0 ? string : needs(["a"], { a: deep(levels - 1), b: string });
}

/** Schemas by name; `impossible` ones allow no value. */
const SCHEMAS: Readonly<Record<string, unknown>> = {
  "an example that is null": ref("In"),
  "overlapping oneOf": { oneOf: [ref("Mercedes"), ref("Bmw")] },
  "a default that is null, an example of another type, a pattern in anyOf": {
    type: "object",
    properties: {
      noise: { type: "object", default: null, properties: { type: string } },
      member: { ...string, example: 12_345 },
      id: { anyOf: [{ ...string, pattern: "^(0|[1-9][0-9]*)$" }, { type: "null" }] },
    },
  },
  "a discriminator with constants": ref("Pet"),
  "a list of alternatives": { type: "array", items: ref("Pet") },
  "allOf with required read-only members": ref("Card"),
  "allOf with closed parts": {
    allOf: [closed({ a: string, b: string }), closed({ b: string, c: string })],
  },
  "allOf with one closed part that has all": {
    allOf: [ref("Bmw"), closed({ name: string }, { required: ["name"] })],
  },
  "allOf of a text and its constraints": of({
    allOf: [string, { minLength: 3 }, { maxLength: 3, pattern: "^[A-Z]+$" }],
  }),
  "allOf that requires what another part describes": {
    allOf: [{ required: ["a"] }, { properties: { a: { ...string, format: "date" } } }],
  },
  "alternatives that only require": {
    ...needs([], { id: string, name: { ...string, minLength: 9 } }),
    oneOf: [{ required: ["id"] }, { required: ["name"] }],
  },
  "anyOf that only requires": {
    ...needs([], { id: string, name: string }),
    anyOf: [{ required: ["id"] }, { required: ["name"] }],
  },
  "oneOf beside properties": {
    ...needs(["common"], { common: string }),
    oneOf: [needs(["a"], { a: string }), needs(["b"], { b: { type: "integer" } })],
  },
  "oneOf by constant without a discriminator": {
    oneOf: [
      needs(["type"], { type: { enum: ["a"] }, x: string }),
      needs(["type"], { type: { enum: ["b"] }, y: string }),
    ],
  },
  "constraints beside alternatives of a text": of({
    ...string,
    anyOf: [{ format: "uuid" }, { pattern: "^x+$" }],
  }),
  "texts by patterns": needs([], {
    year: { pattern: "^\\d{4}$" },
    country: { ...string, pattern: "^[A-Z]{2}$" },
    sku: { ...string, pattern: "^[A-Z]{3}-[0-9]{4,6}(\\.[a-z]+)?$" },
    slug: { ...string, pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$", minLength: 12 },
    hash: { ...string, pattern: "[0-9a-f]{40}" },
    phone: { ...string, pattern: "^\\+[1-9]\\d{1,14}$" },
    time: { ...string, pattern: "^(?<hour>[01]\\d|2[0-3]):[0-5]\\d$" },
    not: { ...string, pattern: "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$" },
    word: { ...string, pattern: "\\w+\\s\\w+" },
    unicode: { ...string, pattern: "^\\p{Lu}\\p{Ll}+$" },
  }),
  "texts by format and length": needs([], {
    date: { ...string, format: "date", default: "" },
    instant: { ...string, format: "date-time", example: "2020-01-01" },
    id: { ...string, format: "uuid", maxLength: 36, minLength: 36, example: "string" },
    mail: { ...string, format: "email", maxLength: 10 },
    long: { ...string, minLength: 300 },
    short: { ...string, maxLength: 1 },
    none: { ...string, maxLength: 0 },
  }),
  numbers: needs([], {
    step: { type: "integer", multipleOf: 7, minimum: 10 },
    cents: { type: "number", multipleOf: 0.01, exclusiveMinimum: 0 },
    open: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    old: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 0.5 },
    negative: { type: "integer", exclusiveMaximum: 0 },
    text: { type: "integer", example: "12" },
    broken: { type: "integer", minimum: 1, example: 0, default: "none" },
  }),
  enumerations: needs([], {
    state: ref("State"),
    strict: { type: "string", enum: [null, "a"] },
    wrong: { enum: ["a", "b"], default: "c" },
    constant: { const: 3, example: 4 },
  }),
  lists: needs([], {
    three: { type: "array", minItems: 3, items: string },
    none: { type: "array", maxItems: 0, items: string },
    different: { type: "array", minItems: 3, uniqueItems: true, items: { enum: ["a", "b", "c"] } },
    objects: { type: "array", minItems: 2, uniqueItems: true, items: ref("Bmw") },
    nested: { type: "array", items: { type: "array", minItems: 1, items: { type: "array" } } },
    any: { type: "array", minItems: 1 },
    tuple: { type: "array", prefixItems: [string, { type: "integer" }], minItems: 2 },
    wrong: { type: "array", items: string, example: "a" },
    json: { type: "array", items: string, example: '["a"]' },
    cycle: { type: "array", items: ref("Node"), minItems: 1 },
  }),
  "types of both dialects": needs(["a", "b", "c"], {
    a: { type: ["string", "null"], example: null },
    b: { type: "string", nullable: true, example: null },
    c: { type: ["null", "integer"] },
    d: { type: "int" },
    e: { type: "file" },
  }),
  maps: needs(["labels"], {
    labels: { type: "object", additionalProperties: { ...string, maxLength: 3 }, minProperties: 2 },
    byName: closed({}, { patternProperties: { "^x-\\d+$": string }, minProperties: 1 }),
    few: { ...needs(["a"], { a: string, b: string, c: string }), maxProperties: 1 },
  }),
  "required members that are not described": { type: "object", required: ["a", "b"] },
  "an example with unknown members": closed({ a: string }, { example: { a: "x", b: 1 } }),
  "an example of a list": { type: "array", items: ref("Bmw"), example: { name: "x" } },
  "an example that is JSON in a text": { ...(ref("Bmw") as object), example: '{"name": "x"}' },
  "a quantity": of(ref("Quantity")),
  ports: ref("Ports"),
  "an end by null": ref("Endless"),
  "an end by nullable": ref("NullableEnd"),
  cycles: ref("Node"),
  "required members at depth 12": ref("Deep"),
  "a required member after 360 schemas": ref("Wide"),
  anything: {},
  "an object": { type: "object" },
  null: { type: "null" },
  undescribed: undefined,
  "impossible: closed parts that require other members": {
    allOf: [closed({ a: string }, { required: ["a"] }), closed({ b: string }, { required: ["b"] })],
  },
  "impossible: the same alternative twice": { oneOf: [ref("Bmw"), ref("Bmw")] },
  "impossible: a pattern with slashes": of({ ...string, pattern: "/^[a-z]+$/" }),
  "impossible: lengths": of({ ...string, minLength: 5, maxLength: 2 }),
  "impossible: an endless member": needs(["a"], { a: ref("Endless2") }),
};

/** Media types by name. */
const MEDIA: Readonly<Record<string, object>> = {
  "example: null": { schema: ref("In"), example: null },
  "an invalid first example": {
    schema: ref("Bmw"),
    examples: { bad: { value: { bar: "x" } }, good: { value: { name: "Z3" } } },
  },
  "only invalid examples": { schema: ref("Mercedes"), examples: { bad: { value: [] } } },
  "an example as JSON in a text": { schema: ref("Bmw"), example: '{"name":"Z3"}' },
  nothing: {},
};

export interface ForeignBody {
  name: string;
  isPossible: boolean;
  path: string;
}

const media: Record<string, object> = {
  ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, { schema }])),
  ...MEDIA,
};

export const FOREIGN_BODIES: readonly ForeignBody[] = Object.keys(media).map((name, at) => ({
  name,
  isPossible: !name.startsWith("impossible"),
  path: `/body${at}`,
}));

const operationOf = (content: object) => ({
  post: { requestBody: { required: true, content }, responses: { "200": { description: "ok" } } },
});

/** A document with an operation for each body: as JSON, and as a form. */
export const FOREIGN_DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Foreign shapes", version: "1" },
  paths: Object.fromEntries(
    FOREIGN_BODIES.map(({ name, path }) => [
      path,
      operationOf({
        "application/json": media[name] ?? {},
        "application/x-www-form-urlencoded": media[name] ?? {},
      }),
    ]),
  ),
  components,
};
