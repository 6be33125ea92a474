import { describe, expect, it } from "vitest";
import { readSecurity, scopesByApproval, writeSecurity } from "./security_fields";

describe("the security form", () => {
  it("shows a draft without security as its default: an API key", () => {
    expect(readSecurity({ key_header: "X-Key" })).toMatchObject({
      schemes: ["api_key"],
      header: "X-Key",
      query: "",
    });
  });

  it("removes a scope by name, and names every scheme", () => {
    const scopes = { read: { text: "Read" }, write: { text: "Write" } };
    const draft = { security: { oauth2: {}, scopes } };
    const read = { name: "read", text: "Read all", granted: "by_approval" as const };
    const fields = { ...readSecurity(draft), scopes: [read] };
    expect(writeSecurity(fields, draft).security).toEqual({
      api_key: null,
      oauth2: {},
      basic: null,
      require: "any",
      scopes: { read: { text: "Read all", granted: "by_approval" }, write: null },
    });
  });

  it("shows how a scope is granted, freely by default", () => {
    const scopes = { admin: { text: "All", granted: "by_approval" as const }, read: {} };
    const draft = { security: { oauth2: {}, scopes } };
    expect(readSecurity(draft).scopes).toEqual([
      { name: "admin", text: "All", granted: "by_approval" },
      { name: "read", text: "", granted: "freely" },
    ]);
    expect(scopesByApproval(draft)).toEqual(["admin"]);
  });
});
