import { expect, test } from "vitest";
import { readReading, writeReading } from "./reading_fields";

test("members omitted in a stored draft are shown as their defaults", () => {
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

test("a SOAP service has no fields, and nothing is written", () => {
  const soap = { contract: "", service: "", port: "", operations: [] };
  const fields = readReading({ soap });
  expect(fields).toBeNull();
  expect(writeReading(fields)).toEqual({});
});

test("all fields are written as shown", () => {
  const draft = {
    encoded_slash: "refuse",
    semicolon: "pass",
    paths: "ignore_case",
    method_override: "pass",
  } as const;
  expect(writeReading(readReading(draft))).toEqual(draft);
});
