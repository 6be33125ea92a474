import { expect, test } from "vitest";
import { listed } from "../../tests/support/listed";
import { contents } from "./document/operations";
import { filterGroups, groupsOf, rowsOf } from "./groups";

const get = (summary: string, tags: string[] = []) => ({
  get: { summary, tags, operationId: `id of ${summary}`, responses: {} },
});
const DOCUMENT = {
  openapi: "3.1.0",
  tags: [{ name: "dogs", description: "All **dogs**" }, { name: "empty" }, { name: "cats" }],
  paths: {
    "/cats": get("Cats", ["cats"]),
    "/dogs": get("Dogs", ["dogs"]),
    "/both": get("Both", ["cats", "dogs"]),
    "/none": get("None"),
    "/own": get("Own", ["not described"]),
  },
  webhooks: { newCat: { post: { summary: "New cat", tags: ["cats"] } } },
};
const shown = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ title, operations }) => [title, ...operations.map((it) => it.title)]);

test("operations are grouped by tag, in the document's order of tags; webhooks come last", () => {
  const groups = groupsOf(contents(listed(DOCUMENT)));
  expect(shown(groups)).toEqual([
    ["dogs", "Dogs", "Both"],
    ["cats", "Cats", "Both"],
    ["not described", "Own"],
    ["Other operations", "None"],
    ["Webhooks", "New cat"],
  ]);
  expect(groups[0]?.description).toBe("All dogs");
});

test("operations without any tag are one list without a title", () => {
  const groups = groupsOf(contents(listed({ paths: { "/a": get("A"), "/b": get("B") } })));
  expect(shown(groups)).toEqual([["", "A", "B"]]);
  expect(rowsOf(groups, () => false).map(({ kind }) => kind)).toEqual(["operation", "operation"]);
});

test("a search looks at title, path, method and id", () => {
  const groups = groupsOf(contents(listed(DOCUMENT)));
  for (const search of ["none", "/NONE", "get none", "id of none"]) {
    expect(shown(filterGroups(groups, search))).toEqual([["Other operations", "None"]]);
  }
  expect(filterGroups(groups, "nothing of the kind")).toEqual([]);
});

test("only open groups have rows of operations, each with a unique key", () => {
  const groups = groupsOf(contents(listed(DOCUMENT)));
  const rows = rowsOf(groups, ({ title }) => title === "cats" || title === "dogs");
  expect(rows.map((row) => (row.kind === "group" ? row.group.title : row.head.title))).toEqual([
    ...["dogs", "Dogs", "Both", "cats", "Cats", "Both"],
    ...["not described", "Other operations", "Webhooks"],
  ]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});
