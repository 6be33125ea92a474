import { expect, test } from "vitest";
import type { DocumentChange, DocumentDifference } from "../../api/queries/revisions";
import { documentRows } from "./document_changes";

const change = (sentence: string, more: Partial<DocumentChange> = {}): DocumentChange => ({
  pointer: "/paths",
  of: "new",
  sentence,
  judged: true,
  ...more,
});

const named = (path: string) => ({ method: "GET", path, pointer: "/paths" }) as const;

const NONE: DocumentDifference = {
  breaking: 0,
  removed: [],
  added: [],
  changed: [],
  renames: [],
  document: [],
  truncated: false,
};

test("changes that break callers come first, then those that were not judged", () => {
  const rows = documentRows({
    ...NONE,
    added: [{ ...named("/new"), changes: [change("is new")] }],
    changed: [
      {
        ...named("/pets"),
        changes: [change("described anew"), change("odd pattern", { judged: false })],
      },
    ],
    removed: [{ ...named("/old"), changes: [change("gone", { breaking: "operation_removed" })] }],
    document: [change("another title")],
  });
  expect(rows.map(({ effect, sentence, rule }) => [effect, sentence, rule])).toEqual([
    ["breaks", "gone", "operation_removed"],
    ["unknown", "odd pattern", undefined],
    ["compatible", "described anew", undefined],
    ["compatible", "is new", undefined],
    ["compatible", "another title", undefined],
  ]);
  expect(rows[0]?.operation).toEqual({ method: "GET", path: "/old" });
  expect(rows.at(-1)).not.toHaveProperty("operation");
});

test("a proposed rename is a row of the operation at its new path", () => {
  const rows = documentRows({
    ...NONE,
    renames: [{ from: named("/pets"), to: named("/animals"), changes: [] }],
  });
  expect(rows).toEqual([
    {
      effect: "unknown",
      operation: { method: "GET", path: "/animals" },
      sentence: "It may be the operation at /pets, at another path.",
    },
  ]);
});
