import { describe, expect, it } from "vitest";
import { readSecurity, writeSecurity } from "./security_fields";

describe("the security form", () => {
  it("shows a draft that says nothing as what it means: an API key", () => {
    expect(readSecurity({ key_header: "X-Key" })).toMatchObject({
      schemes: ["api_key"],
      header: "X-Key",
      query: "",
    });
  });

  it("takes a scope away by name, and leaves no scheme unsaid", () => {
    const draft = { security: { oauth2: {}, scopes: { read: "Read", write: "Write" } } };
    const fields = { ...readSecurity(draft), scopes: [{ name: "read", text: "Read all" }] };
    expect(writeSecurity(fields, draft).security).toEqual({
      api_key: null,
      oauth2: {},
      basic: null,
      require: "any",
      scopes: { read: "Read all", write: null },
    });
  });
});
