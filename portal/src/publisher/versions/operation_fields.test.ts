import { expect, test } from "vitest";
import type { Configuration } from "../../api/queries/versions";
import { newLimit } from "../../ui/limit_fields";
import {
  changeOf,
  pointerInDialog,
  presentInWords,
  readOperations,
  wantedInWords,
} from "./operation_fields";
import { operationRows } from "./operation_rows";

const LIMIT = { per: "operation", amount: 5, window: "minute" } as const;
const DRAFT: Configuration = {
  operations: [
    { method: "GET", path: "/pets", limits: [LIMIT], scopes: ["read"] },
    { method: "PUT", path: "/pets", anonymous: true },
  ],
};
const ROWS = operationRows(DRAFT);

test("a single operation is written as it was read", () => {
  expect(ROWS.map((row) => changeOf(readOperations([row])))).toEqual([
    {
      limits: [{ ...LIMIT, algorithm: { type: "fixed" } }],
      scopes: ["read"],
      anonymous: false,
    },
    { limits: [], scopes: [], anonymous: true },
  ]);
});

test("calls outside the contract have a handling instead of a credential", () => {
  const unknown = { limits: [], scopes: ["read"], refused: true };
  const soap = { contract: "", service: "Calculator", port: "CalculatorSoap", unknown };
  const rows = operationRows({ soap });
  expect(changeOf(readOperations(rows))).toEqual(unknown);
  const [key = ""] = rows.map((row) => row.key);
  expect(wantedInWords(new Set([key]), { refused: false })).toEqual({
    "calls outside the contract: handling": "Forwarded",
  });
});

test("many operations are only changed in the chosen members", () => {
  const fields = readOperations(ROWS);
  expect(changeOf(fields)).toEqual({});
  const limits = { mode: "set" as const, list: [{ ...newLimit("operation"), amount: "9" }] };
  expect(changeOf({ ...fields, limits })).toEqual({
    limits: [{ per: "operation", amount: 9, window: "minute", algorithm: { type: "fixed" } }],
  });
  // What was ticked before is not written.
  const scopes = { mode: "remove" as const, list: ["read"] };
  expect(changeOf({ ...fields, scopes })).toEqual({ scopes: [] });
  expect(changeOf({ ...fields, credential: "anonymous" })).toEqual({ anonymous: true });
});

test("a conflict names the operation and the member, with values in words", () => {
  const keys = new Set(["GET /pets", "GET /gone"]);
  const change = { limits: [], scopes: ["read", "write"], anonymous: true };
  expect(presentInWords(DRAFT, keys, change)).toEqual({
    "GET /pets: limits": "At most 5 requests a minute for all callers together.",
    "GET /pets: scopes": "read",
    "GET /pets: credential": "needed",
  });
  expect(wantedInWords(keys, { scopes: ["read", "write"] })).toEqual({
    "GET /pets: scopes": "read write",
    "GET /gone: scopes": "read write",
  });
});

test("limits that count differently differ in words", () => {
  const day = { per: "operation", amount: 5, window: "day" } as const;
  const limits = [
    { ...day, algorithm: { type: "fixed" } },
    { ...day, algorithm: { type: "fixed", zone: "Asia/Tokyo" } },
    { ...day, algorithm: { type: "gcra", burst: 2 } },
  ] as const;
  const words = limits.map((limit) => wantedInWords(new Set(["Add"]), { limits: [limit] }));
  expect(words.map((it) => it["Add: limits"])).toEqual([
    "At most 5 requests a day for all callers together.",
    "At most 5 requests a day for all callers together (time zone Asia/Tokyo).",
    "At most 5 requests a day for all callers together, 2 at once.",
  ]);
});

test("faults of any operation are shown at the dialog's fields", () => {
  expect(pointerInDialog("/operations/17/limits/0/amount")).toBe("/limits/0/amount");
  expect(pointerInDialog("/soap/operations/3/scopes")).toBe("/scopes");
  expect(pointerInDialog("/soap/unknown/limits/0/amount")).toBe("/limits/0/amount");
  expect(pointerInDialog("/operations/3/anonymous")).toBe("/anonymous");
  expect(pointerInDialog("/operations/3/path")).toBe("");
  expect(pointerInDialog("/limits/0/amount")).toBe("");
});
