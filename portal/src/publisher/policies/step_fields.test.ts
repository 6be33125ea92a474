// Steps survive reading and writing; empty fields and defaults are left out.

import { describe, expect, test } from "vitest";
import type { Configuration } from "../../api/queries/versions";
import type { Step } from "./policies";
import { readPolicies, writePolicies } from "./policy_fields";
import { newStep, readStep, writeStep } from "./step_fields";
import { duplicated, dropPosition, moved } from "./step_moves";
import { summaryOf } from "./summaries";

const STEPS: readonly (readonly [object, string])[] = [
  [{ policy: "set_header", name: "x-a", value: "{{ now }}", if: "now > 1" }, "x-a: {{ now }}"],
  [{ policy: "set_header", name: "x-a", value: "", mode: "append" }, "x-a: "],
  [{ policy: "remove_header", names: ["x-*", "server"] }, "x-*, server"],
  [{ policy: "rename_header", from: "a", to: "b" }, "a → b"],
  [{ policy: "rewrite_location" }, ""],
  [{ policy: "rewrite_location", content_location: false }, ""],
  [{ policy: "set_query", name: "q", value: "1" }, "q=1"],
  [{ policy: "set_method", method: "PUT" }, "PUT"],
  [
    { policy: "json_template", template: { a: ["{{ body.x }}", null] } },
    '{ "a": [ "{{ body.x }}", null ] }',
  ],
  [
    { policy: "json_edit", edits: [{ set: "$.a", value: "1" }, { remove: "$.b" }] },
    "set $.a = 1, remove $.b",
  ],
  [{ policy: "json_edit", edits: [{ rename: "$.a", to: "b" }] }, "rename $.a → b"],
  [{ policy: "mask", paths: ["$..iban"], with: "last4", bytes_max: 2048 }, "$..iban"],
  [{ policy: "replace_text", pairs: [{ from: "a\nb", to: "" }] }, "a\nb → "],
  [{ policy: "json_to_xml", attributes: "", other_type: "pass" }, "<root>"],
  [{ policy: "xml_to_json", arrays: ["orders/order"] }, "orders/order"],
  [{ policy: "threat_protection", depth: 8 }, ""],
  [{ policy: "compress" }, "from 1024 bytes"],
  [{ policy: "respond", status: 204, headers: { "x-a": "{{ now }}" } }, "204"],
  [
    { policy: "respond", status: 200, body: "{}", content_type: "application/json" },
    "200 application/json",
  ],
  [{ policy: "mock", status: 404, example: "gone" }, "404 gone"],
  [{ policy: "let", name: "x", value: "body.total" }, "var.x = body.total"],
];

describe.each(STEPS)("%j", (step, summary) => {
  test("is written as it was read", () => {
    const fields = readStep(step as Step);
    expect(writeStep(fields, "/policies/request/0")).toEqual(step);
    expect(summaryOf(fields)).toBe(summary);
  });
});

test("a draft keeps its policies", () => {
  const policies = {
    request: [{ policy: "set_status", status: 201 }],
    response: [],
    error: [],
    operations: [
      { operations: ["GET /a"], mode: "replace", request: [], response: [], error: [] },
      {
        operations: ["GET /b"],
        mode: "append",
        request: [],
        response: [],
        error: [],
        cache: { ttl_s: 60 },
      },
    ],
    aside: [{ operations: ["GET /gone"], mode: "append" }],
    cors: {
      origins: ["https://shop.example"],
      portal: false,
      methods: [],
      headers: null,
      expose: ["x-a"],
      credentials: true,
      max_age_s: 60,
    },
  };
  const fields = readPolicies({ policies } as unknown as Configuration);
  expect(writePolicies(fields)).toEqual(policies);
  const none = { request: [], response: [], error: [], operations: [], aside: [], cors: null };
  expect(writePolicies(readPolicies({}))).toEqual(none);
});

test.each([
  [{ ...newStep("json_template"), values: { template: "{" } }, "/at/template", "this is not JSON"],
  [newStep("set_status"), "/at/status", "a value is required"],
])("what JSON cannot represent is a fault at its field", (step, field, detail) => {
  expect(() => writeStep(step, "/at")).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ field, detail })] }),
  );
});

test("steps are moved, duplicated and dropped", () => {
  const steps = ["a", "b", "c"].map((name) => readStep({ policy: "let", name, value: "1" }));
  const names = (of: typeof steps) =>
    of
      .map((it) => writeStep(it, ""))
      .map((it) => "name" in it && it.name)
      .join("");
  expect(names(moved(steps, 0, 2))).toBe("bca");
  expect(names(moved(steps, 2, 0))).toBe("cab");
  expect(names(duplicated(steps, 1).steps)).toBe("abbc");
  // From the first row below the second, and from the last above it.
  expect(dropPosition(0, 1, "below")).toBe(1);
  expect(dropPosition(2, 1, "above")).toBe(1);
  expect(dropPosition(0, 2, "above")).toBe(1);
});
