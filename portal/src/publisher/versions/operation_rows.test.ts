import { describe, expect, it } from "vitest";
import type { Configuration } from "../../api/queries/versions";
import { type Access, changeOperations, findOperations, operationRows } from "./operation_rows";

const LIMIT = { per: "operation", amount: 5, window: "minute" } as const;

const REST: Configuration = {
  operations: [
    { method: "GET", path: "/pets", summary: "All pets", limits: [LIMIT] },
    { method: "GET", path: "/pets/{pet}", summary: "One of them", anonymous: true },
    { method: "DELETE", path: "/pets/{pet}", scopes: ["write"] },
  ],
};

const SERVICE = {
  contract: "",
  service: "Calculator",
  port: "CalculatorSoap",
  operations: [{ name: "Add" }, { name: "Divide", scopes: ["write"] }],
};
const SOAP: Configuration = { soap: SERVICE };
const OUTSIDE = "calls outside the contract";

const keysOf = (rows: readonly { key: string }[]) => rows.map(({ key }) => key);

describe("the rows of operations", () => {
  it("have defaults for what the draft omits", () => {
    expect(operationRows(REST)[2]).toEqual({
      key: "DELETE /pets/{pet}",
      method: "DELETE",
      name: "/pets/{pet}",
      summary: "",
      weight: 1,
      limits: [],
      scopes: ["write"],
      anonymous: false,
    });
    expect(operationRows({})).toEqual([]);
  });

  it("of a SOAP service are named by its contract, and calls outside it follow", () => {
    expect(keysOf(operationRows(SOAP))).toEqual(["Add", "Divide", OUTSIDE]);
    expect(operationRows(SOAP).map(({ refused }) => refused)).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const rest = { base_path: "", resources: [] };
    expect(keysOf(operationRows({ soap: { ...SERVICE, rest } }))).toEqual(["Add", "Divide"]);
  });

  it("are found by each word of a search, in method, path or summary", () => {
    const found = (q: string) => keysOf(findOperations(operationRows(REST), { q }));
    expect(found("get PETS")).toEqual(["GET /pets", "GET /pets/{pet}"]);
    expect(found("them")).toEqual(["GET /pets/{pet}"]);
    expect(found("delete all")).toEqual([]);
    expect(found(" ")).toHaveLength(3);
  });

  it("are found by what they have", () => {
    const found = (show: "limits" | "scopes" | "unscoped" | "anonymous") =>
      keysOf(findOperations(operationRows(REST), { show }));
    expect(found("limits")).toEqual(["GET /pets"]);
    expect(found("scopes")).toEqual(["DELETE /pets/{pet}"]);
    expect(found("unscoped")).toEqual(["GET /pets", "GET /pets/{pet}"]);
    expect(found("anonymous")).toEqual(["GET /pets/{pet}"]);
  });
});

describe("a change of operations", () => {
  it("leaves other operations and other members as they are", () => {
    const keys = new Set(["GET /pets", "DELETE /pets/{pet}", "GET /gone"]);
    const [pets, pet, remove] = REST.operations ?? [];
    expect(changeOperations(REST, keys, { scopes: [] })).toEqual({
      operations: [{ ...pets, scopes: [] }, pet, { ...remove, scopes: [] }],
    });
  });

  it("of a SOAP service replaces only the list in it", () => {
    const change: Partial<Access> = { limits: [LIMIT], anonymous: true };
    expect(changeOperations(SOAP, new Set(["Add"]), change)).toEqual({
      soap: {
        operations: [
          { name: "Add", limits: [LIMIT], anonymous: true },
          { name: "Divide", scopes: ["write"] },
        ],
      },
    });
  });

  it("of calls outside the contract leaves its operations as they are", () => {
    const change: Partial<Access> = { scopes: ["write"], refused: false };
    expect(changeOperations(SOAP, new Set([OUTSIDE]), change)).toEqual({
      soap: { operations: SERVICE.operations, unknown: change },
    });
  });
});
