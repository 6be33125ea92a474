// The page's own check refuses no sample that the page proposes.

import { expect, test } from "vitest";
import { FOREIGN_BODIES, FOREIGN_DOCUMENT } from "../../tests/support/foreign_shapes";
import { listed } from "../../tests/support/listed";
import { contents, operationOf } from "./document/operations";
import { violationsOf } from "./document/violations";
import { prepareBody } from "./prepared_body";
import { initialParts, sentBody } from "./sent_body";
import { faultsOf } from "./validation";

const { operations } = contents(listed(FOREIGN_DOCUMENT));

function prepared(path: string, at: number) {
  const head = operations.find((it) => it.path === path);
  if (head === undefined) throw new Error(`no ${path}`);
  const operation = operationOf(FOREIGN_DOCUMENT, head);
  const body = operation.body?.bodies[at];
  if (body === undefined) throw new Error("no body");
  return { operation, body: prepareBody(FOREIGN_DOCUMENT, body) };
}

/** Returns the faults of a call with the proposed body, or with this text in its place. */
function faultsOfCall(path: string, at: number, typed?: string) {
  const { operation, body } = prepared(path, at);
  const parts = initialParts(body.fields);
  const text = typed ?? body.sample;
  const sent = sentBody(FOREIGN_DOCUMENT, body, { text, file: undefined, parts });
  const checked = { ...body, text, parts, sent };
  return [...faultsOf(FOREIGN_DOCUMENT, operation, { values: new Map(), body: checked }).values()];
}

test.each(FOREIGN_BODIES)("an untouched sample is not refused: $name", ({ path, isPossible }) => {
  expect(faultsOfCall(path, 0)).toEqual([]);
  expect(faultsOfCall(path, 1)).toEqual([]);
  const { body } = prepared(path, 0);
  expect(body.sample).not.toBe("");
  const value: unknown = JSON.parse(body.sample);
  const violations = violationsOf(FOREIGN_DOCUMENT, body.schema, value);
  if (isPossible) expect({ value, violations }).toEqual({ value, violations: [] });
  else expect(violations, "no value is valid").not.toEqual([]);
});

const bodyNamed = (name: string) => {
  const { path } = FOREIGN_BODIES.find((it) => it.name === name) ?? { path: "" };
  const { body } = prepared(path, 0);
  return { path, value: JSON.parse(body.sample) as unknown };
};

test("examples of another type are used as the schema's type, others are passed over", () => {
  expect(bodyNamed("an example that is null").value).toEqual({ objectId: "text" });
  expect(bodyNamed("an invalid first example").value).toEqual({ name: "Z3" });
  expect(bodyNamed("an example as JSON in a text").value).toEqual({ name: "Z3" });
  expect(bodyNamed("overlapping oneOf").value).toEqual({ name: "text", bar: "text" });
  expect(
    bodyNamed("a default that is null, an example of another type, a pattern in anyOf").value,
  ).toEqual({ noise: { type: "text" }, member: "12345", id: "0" });
});

test("an edited body is refused for its own faults, not for those of the sample", () => {
  const { path, value } = bodyNamed("impossible: closed parts that require other members");
  const edited = (change: object) =>
    faultsOfCall(path, 0, JSON.stringify({ ...(value as object), ...change }));
  expect(edited({ a: "changed" })).toEqual([]);
  expect(edited({ a: 1 })).toEqual(["In the body, /a must be a text."]);
});
