import { expect, test } from "vitest";
import { pageOf } from "./fault_pages";

test.each([
  ["/operations/0/scopes", "Operations"],
  ["/soap/operations/12/scopes/0", "Operations"],
  ["/soap/unknown/scopes/0", "Operations"],
  ["/soap/unknown", "Operations"],
  ["/soap/operations/0/limits/0/amount", "Limits"],
  ["/policies/operations/3/cache/fresh_s", "Cache"],
  ["/policies/operations/3/request/0", "Policies"],
  ["/soap/rest/resources/0", undefined],
  ["/operations_of_others", undefined],
])("the field %s is on the page %s", (pointer, title) => {
  expect(pageOf(pointer)?.title).toBe(title);
});
