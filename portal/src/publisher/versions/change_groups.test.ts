import { describe, expect, it } from "vitest";
import type { Change } from "../../api/queries/revisions";
import { groupsOf, isDigest, isSecret, memberOf, shownValue } from "./change_groups";

const change = (group: Change["group"], pointer: string, rest: object = {}): Change => ({
  group,
  pointer,
  ...rest,
});

describe("changes of a version", () => {
  it("are grouped, operations first; empty groups are left out", () => {
    const upstream = change("upstream", "/upstream/url");
    const cors = change("cors", "/policies/cors/origins");
    const operation = change("operations", "/operations/0", { operation: "GET /pets" });
    const groups = groupsOf([cors, upstream, operation, upstream]);
    expect([...groups]).toEqual([
      ["operations", [operation]],
      ["upstream", [upstream, upstream]],
      ["cors", [cors]],
    ]);
  });

  it("name the member, within its operation if there is one", () => {
    const name = (pointer: string, operation?: string) =>
      memberOf(change("other", pointer, operation === undefined ? {} : { operation }));
    expect(name("/upstream/url")).toBe("upstream.url");
    expect(name("/operations/12/limits/0/amount", "GET /pets")).toBe("limits.0.amount");
    expect(name("/operations/12", "GET /pets")).toBe("");
    expect(name("/soap/rest/resources/3/parameters/0", "Add")).toBe("parameters.0");
    expect(name("/security/scopes/pets~1all~0")).toBe("security.scopes.pets/all~");
  });

  it("hide secrets and digests", () => {
    expect(isSecret(change("upstream", "/a", { before: "***", after: "***" }))).toBe(true);
    expect(isSecret(change("upstream", "/a", { after: "x" }))).toBe(false);
    const digests = [change("document", "/document"), change("contract", "/soap/contract")];
    expect([...digests, change("limits", "/limits/0")].map(isDigest)).toEqual([true, true, false]);
  });
});

describe("a value", () => {
  it("is in the line if it is short", () => {
    expect(shownValue("http://a")).toEqual({ text: "http://a", isInline: true });
    expect(shownValue(["a", "b"])).toEqual({ text: '["a","b"]', isInline: true });
    expect(shownValue(5)).toEqual({ text: "5", isInline: true });
    expect(shownValue(null)).toEqual({ text: "null", isInline: true });
  });

  it("is indented in a frame if it is long, even if it is only the beginning", () => {
    const operation = { method: "GET", path: "/pets", summary: "All the pets that the shop has" };
    expect(shownValue(operation)).toEqual({
      text: JSON.stringify(operation, undefined, 2),
      isInline: false,
    });
    const { text, isInline } = shownValue(`[{"name": "${"x".repeat(60)}…`);
    expect(isInline).toBe(false);
    expect(text.split("\n")).toHaveLength(3);
  });

  it("keeps the lines of a text", () => {
    expect(shownValue("-----BEGIN-----\nMII")).toEqual({
      text: "-----BEGIN-----\nMII",
      isInline: false,
    });
  });
});
