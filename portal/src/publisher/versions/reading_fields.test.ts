import { expect, test } from "vitest";
import { readReading, writeReading } from "./reading_fields";

test("what a stored draft leaves out is shown as what it means", () => {
  expect(readReading({})).toEqual({
    encodedSlash: "pass",
    semicolon: "check",
    paths: "exact",
    methodOverride: "refuse",
  });
  expect(readReading({ encoded_slash: "data", paths: "ignore_case" })).toMatchObject({
    encodedSlash: "data",
    paths: "ignore_case",
  });
});

test("a service of SOAP has none, and nothing of it is written", () => {
  const soap = { contract: "", service: "", port: "", operations: [] };
  const fields = readReading({ soap });
  expect(fields).toBeNull();
  expect(writeReading(fields)).toEqual({});
});

test("everything is written as it is shown", () => {
  const draft = {
    encoded_slash: "refuse",
    semicolon: "pass",
    paths: "ignore_case",
    method_override: "pass",
  } as const;
  expect(writeReading(readReading(draft))).toEqual(draft);
});
