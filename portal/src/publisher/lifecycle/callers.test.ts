import { expect, test } from "vitest";
import type { Subscription } from "../../api/queries/subscribers";
import { callersOf } from "./callers";

const subscription = (application: string) =>
  ({ application, application_name: `The ${application}` }) as Subscription;
const calls = (id: string, calls: number) => ({ application: { id, name: `Old ${id}` }, calls });

test("callers come first, as listed; then subscribers without calls", () => {
  const rows = [calls("app_b", 8), calls("app_a", 3)];
  const found = callersOf(rows, ["app_c", "app_a", "app_b"].map(subscription));
  expect(found.map(({ name, calls }) => [name, calls])).toEqual([
    ["The app_b", 8],
    ["The app_a", 3],
    ["The app_c", 0],
  ]);
});

test("calls of ended subscriptions and without an application are counted too", () => {
  const found = callersOf([{ application: null, calls: 2 }, calls("app_d", 1)], []);
  expect(found).toEqual([
    { application: undefined, name: undefined, calls: 2, subscription: undefined },
    { application: "app_d", name: "Old app_d", calls: 1, subscription: undefined },
  ]);
});

test("rows without calls are none", () => {
  expect(callersOf([calls("app_a", 0)], [])).toEqual([]);
});
