import { describe, expect, it } from "vitest";
import { labelOf } from "./change_labels";

describe("a changed member", () => {
  it("has the label of its form", () => {
    const label = (pointer: string) => labelOf({ group: "other", pointer });
    expect(label("/policies/cors/origins")).toBe("Origins");
    expect(label("/policies/cache/ttl_s")).toBe("Fresh for, seconds");
    expect(label("/policies/operations/3/cache/share")).toBe("Share responses within");
    expect(label("/policies/request/0/value")).toBe("Requests");
    expect(label("/sandbox_upstream/url")).toBe("Address");
    expect(label("/operations/12/anonymous")).toBe("Credential");
    expect(label("/limits/1/amount")).toBe("Limits");
    expect(label("/operations/12")).toBeUndefined();
    expect(label("/soap/fault_status")).toBeUndefined();
  });
});
