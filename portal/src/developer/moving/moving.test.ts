import { expect, test } from "vitest";
import type { CallerDifference } from "../../api/queries/catalogue";
import { type Movable, breaksNothing, callerChanges, mayMove, statusOfMove } from "./moving";

const between = { from: "ver_1", from_name: "1.0", to: "ver_2", to_name: "2.0", described: true };
const successor = { id: "ver_2", name: "2.0", state: "published" as const };
const subscription: Movable = {
  application: "app_1",
  application_name: "Shop",
  api_name: "Pets",
  version: "ver_1",
  version_name: "1.0",
  plan: "pln_1",
  plan_name: "gold",
  plan_title: "Gold",
  status: "active",
  scopes: [],
};

test("breaking changes come before those that may break calls", () => {
  const change = (sentence: string, breaking: string | null, judged = true) => ({
    pointer: "",
    of: "new" as const,
    sentence,
    judged,
    breaking,
  });
  const operation = (path: string, ...changes: ReturnType<typeof change>[]) => ({
    method: "GET" as const,
    path,
    pointer: "",
    changes,
  });
  const difference: CallerDifference = {
    ...between,
    document: {
      breaking: 2,
      removed: [operation("/old", change("gone", "operation_removed"))],
      added: [operation("/new", change("new", null))],
      changed: [operation("/pets", change("odd", null, false), change("more", null))],
      renames: [],
      document: [change("all need a key", "security_required")],
      truncated: false,
    },
  };
  const { breaking, unjudged } = callerChanges(difference);
  expect(breaking.map(({ name, sentence }) => [name, sentence])).toEqual([
    ["/old", "gone"],
    [undefined, "all need a key"],
  ]);
  expect(unjudged.map(({ sentence }) => sentence)).toEqual(["odd"]);
});

test("a new operation that answers calls of another may break them", () => {
  const taking = "GET /pets/new is new and answers calls that GET /pets/{pet} answered";
  const added = {
    method: "GET" as const,
    path: "/pets/new",
    pointer: "",
    changes: [{ pointer: "", of: "new" as const, sentence: taking, judged: false }],
  };
  const nothing = { breaking: 0, removed: [], changed: [], renames: [], document: [] };
  const difference = (document: Partial<CallerDifference["document"]>) =>
    callerChanges({
      ...between,
      document: { ...nothing, added: [], truncated: false, ...document },
    });
  const changes = difference({ added: [added] });
  expect(changes.unjudged.map(({ name, sentence }) => [name, sentence])).toEqual([
    ["/pets/new", taking],
  ]);
  expect(breaksNothing(changes)).toBe(false);
  expect(breaksNothing(difference({ truncated: true }))).toBe(false);
  expect(breaksNothing(difference({}))).toBe(true);
});

test("of contracts, removed operations break calls and changed ones may", () => {
  const contract = [
    { operation: "Add", change: "changed" as const, reasons: ["its request has changed"] },
    { operation: "New", change: "added" as const },
    { operation: "Sub", change: "removed" as const },
  ];
  const { breaking, unjudged } = callerChanges({ ...between, contract });
  expect(breaking.map(({ name }) => name)).toEqual(["Sub"]);
  expect(unjudged).toEqual([{ name: "Add", sentence: "its request has changed" }]);
});

test("an application moves once, with an active subscription, to a version that is open", () => {
  const all = [subscription];
  expect(mayMove(subscription, successor, all)).toBe(true);
  expect(mayMove({ ...subscription, status: "blocked" }, successor, all)).toBe(false);
  expect(mayMove(subscription, { ...successor, state: "deprecated" }, all)).toBe(false);
  const moved = [...all, { ...subscription, version: "ver_2" }];
  expect(mayMove(subscription, successor, moved)).toBe(false);
  const other = [...all, { ...subscription, application: "app_2", version: "ver_2" }];
  expect(mayMove(subscription, successor, other)).toBe(true);
  expect(statusOfMove(subscription, successor, other)).toBeUndefined();
});

test("a subscription to the successor that is not active is no finished move", () => {
  const rejected = { ...subscription, version: "ver_2", status: "rejected" as const };
  expect(mayMove(subscription, successor, [rejected])).toBe(false);
  expect(statusOfMove(subscription, successor, [rejected])).toBe("rejected");
});
