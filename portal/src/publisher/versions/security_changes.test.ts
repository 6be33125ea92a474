import { expect, test } from "vitest";
import { securityChanges } from "./security_changes";

const orders = { method: "GET" as const, path: "/orders" };

test("a draft with the same security has no changes", () => {
  const served = { operations: [orders] };
  const draft = { operations: [orders], security: { api_key: { header: "apikey" } } };
  expect(securityChanges(served, draft)).toEqual([]);
});

test("credentials, scopes and access to operations are compared", () => {
  const served = { operations: [orders, { ...orders, path: "/open", anonymous: true }] };
  const draft = {
    operations: [
      { ...orders, scopes: ["write", "read"] },
      { ...orders, path: "/open" },
      { ...orders, path: "/new" },
    ],
    security: {
      api_key: { header: "X-Key", query: "key" },
      oauth2: {},
      require: "all" as const,
      scopes: { write: { granted: "by_approval" as const }, read: {} },
    },
  };
  expect(securityChanges(served, draft)).toEqual([
    {
      what: "Credentials",
      served: "API key in apikey",
      draft: "API key in X-Key, or in the query as key and OAuth2",
    },
    { what: "Scopes", served: "none", draft: "read (granted freely), write (by approval)" },
    { what: "GET /orders", served: "any credential", draft: "a token with read, write" },
    { what: "GET /open", served: "no credential", draft: "any credential" },
  ]);
});
