import { expect, test } from "vitest";
import type { Configuration } from "../../api/queries/versions";
import { operationPointers } from "./operation_rows";
import { readVersionLimits, writeVersionLimits } from "./version_limits";

const fixed = { type: "fixed" } as const;
const LIMIT = { per: "operation", amount: 5, window: "minute", algorithm: fixed } as const;
const REST: Configuration = {
  limits: [{ per: "api", amount: 9, window: "day", algorithm: fixed }],
  operations: [
    { method: "GET", path: "/free", summary: "Free" },
    { method: "GET", path: "/pets", limits: [{ ...LIMIT, plans: ["bronze"] }] },
    { method: "PUT", path: "/pets", weight: 5, scopes: ["write"] },
  ],
  upstream: {
    url: "http://upstream",
    verify_certificate: true,
    limits: [{ metric: "concurrent", amount: 20 }],
  },
};

test("only operations with limits or a weight are listed", () => {
  const { operations, sandbox } = readVersionLimits(REST);
  expect(operations.map(({ key, weight }) => [key, weight])).toEqual([
    ["GET /pets", "1"],
    ["PUT /pets", "5"],
  ]);
  // Without an upstream there is nothing to limit.
  expect(sandbox).toBeUndefined();
});

test("limits are written as they were read, in the whole list of operations", () => {
  const [free, get, put] = REST.operations ?? [];
  expect(writeVersionLimits(readVersionLimits(REST), REST)).toEqual({
    limits: REST.limits,
    operations: [free, { ...get, weight: 1 }, { ...put, limits: [] }],
    upstream: { limits: REST.upstream?.limits },
  });
  expect(writeVersionLimits(readVersionLimits({}), {})).toEqual({ limits: [] });
});

test("operations of a SOAP service and calls outside its contract have limits", () => {
  const soap = {
    contract: "",
    service: "Calculator",
    port: "CalculatorSoap",
    operations: [{ name: "Add" }, { name: "Divide", weight: 3 }],
    unknown: { limits: [LIMIT], scopes: [], refused: false },
  };
  const fields = readVersionLimits({ soap });
  expect(writeVersionLimits(fields, { soap })).toEqual({
    limits: [],
    soap: {
      operations: [{ name: "Add" }, { name: "Divide", weight: 3, limits: [] }],
      unknown: { limits: [LIMIT] },
    },
  });
  expect([...operationPointers({ soap }).values()]).toEqual([
    "/soap/operations/0",
    "/soap/operations/1",
    "/soap/unknown",
  ]);
});
