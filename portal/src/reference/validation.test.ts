import { expect, test } from "vitest";
import { listed } from "../../tests/support/listed";
import { fieldsOf } from "./document/form_fields";
import { contents, operationOf } from "./document/operations";
import { BODY, fieldKey } from "./faults";
import { type Part, formOf } from "./form";
import { faultsOf } from "./validation";

const NO_BODY = {
  type: undefined,
  schema: undefined,
  sample: "",
  text: "",
  fields: [],
  parts: new Map(),
};

function operation(more: object) {
  const document = { paths: { "/": { post: more } } };
  const [head] = contents(listed(document)).operations;
  if (head === undefined) throw new Error("no operation");
  return operationOf(document, head);
}

/** Returns the fault of a query parameter. */
function fault(described: object, typed?: string): string | undefined {
  const values = new Map(typed === undefined ? [] : [["query q", typed]]);
  const tested = operation({ parameters: [{ name: "q", in: "query", ...described }] });
  const body = { ...NO_BODY, sent: undefined };
  return faultsOf(undefined, tested, { values, body }).get("query q");
}

test("a text is checked as the value that it represents", () => {
  const schema = (schema: object) => ({ schema });
  expect(fault({ required: true })).toBe("q is required.");
  expect(fault({})).toBeUndefined();
  expect(fault(schema({ type: "integer" }), "7")).toBeUndefined();
  expect(fault(schema({ type: "integer" }), "7.5")).toBe("q must be a whole number.");
  expect(fault(schema({ type: "integer" }), "seven")).toBe("q must be a whole number.");
  expect(fault(schema({ type: "string" }), "7")).toBeUndefined();
  expect(fault(schema({ type: "boolean" }), "false")).toBeUndefined();
  const list = schema({ type: "array", items: { type: "integer", maximum: 9 } });
  expect(fault(list, "7, 9")).toBeUndefined();
  expect(fault(list, "7, 10")).toBe("q/1 must be at most 9.");
  const pair = schema({ type: "object", required: ["a"] });
  expect(fault(pair, '{"a":1}')).toBeUndefined();
  expect(fault(pair, "{}")).toBe("q must have the member a.");
  expect(fault(pair, "a")).toBe("q must be an object.");
  const content = { content: { "application/json": { schema: { type: "integer" } } } };
  expect(fault(content, "7")).toBeUndefined();
  expect(fault(content, '"7"')).toBe("q must be a whole number.");
  const json = { "application/json": { schema: { type: "array", items: { type: "integer" } } } };
  expect(fault({ content: json }, "[1,2]")).toBeUndefined();
  expect(fault({ content: json }, '[1,"2"]')).toBe("q/1 must be a whole number.");
  expect(fault({ content: json }, "1,2")).toBe(
    "q is not valid JSON: line 1, column 2: expected the end of the text.",
  );
  expect(fault(content, "{")).toBe(
    "q is not valid JSON: line 1, column 2: expected a name in double quotes.",
  );
});

test("form fields are checked, files only for presence", () => {
  const schema = {
    type: "object",
    required: ["photo"],
    properties: {
      photo: { type: "string", format: "binary" },
      owner: { type: "object", required: ["age"] },
      sizes: { type: "array", items: { type: "integer" } },
    },
  };
  const type = "multipart/form-data";
  const fields = fieldsOf(undefined, { type, schema, example: undefined });
  const found = (given: Record<string, Part>) => {
    const parts = new Map(Object.entries(given));
    const sent = formOf(undefined, type, fields, parts);
    const body = { type, schema, sample: "", text: "", fields, parts, sent };
    return Object.fromEntries(faultsOf(undefined, operation({}), { values: new Map(), body }));
  };
  expect(found({ owner: "{}", sizes: "1,x" })).toEqual({
    [fieldKey("photo")]: "photo is required.",
    [fieldKey("owner")]: "owner must have the member age.",
    [fieldKey("sizes")]: "sizes/1 must be a whole number.",
  });
  expect(found({ photo: [new File([], "x")], owner: '{"age":1}', sizes: "1" })).toEqual({});
});

test("a body is checked for presence, and as JSON if its type is JSON", () => {
  const found = (type: string, text: string) => {
    const sent = text === "" ? undefined : ({ kind: "text", type, text } as const);
    const body = { ...NO_BODY, type, schema: { type: "object" }, text, sent };
    const tested = operation({ requestBody: { required: true, content: { [type]: {} } } });
    return faultsOf(undefined, tested, { values: new Map(), body }).get(BODY);
  };
  expect(found("application/json", "")).toBe("Body is required.");
  expect(found("application/json", "[]")).toBe("The body must be an object.");
  expect(found("application/json", "{")).toMatch(/^The body is not valid JSON: line 1, column 2: /);
  expect(found("application/json", "{}")).toBeUndefined();
  expect(found("text/plain", "{")).toBeUndefined();
});
