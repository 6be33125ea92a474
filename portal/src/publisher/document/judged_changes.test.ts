import { expect, test } from "vitest";
import type {
  DocumentChange,
  DocumentDifference,
  OperationAccess,
} from "../../api/queries/documents";
import { type Compared, findChanges, judgedChanges } from "./judged_changes";

const ANY: OperationAccess = { scopes: [], anonymous: false };

function change(sentence: string, judged: boolean, breaking?: string): DocumentChange {
  const pointer = "/paths/~1pets/get";
  return { pointer, of: "new", sentence, judged, ...(breaking ? { breaking } : {}) };
}

const operation = (path: string) => ({ method: "GET" as const, path, pointer: "" });

const removed = (path: string, reached?: string) => ({
  method: "GET" as const,
  path,
  breaking: "operation_removed",
  access: ANY,
  calls_last_day: 0,
  callers: [],
  ...(reached === undefined ? {} : { reached: { path: reached, access: ANY } }),
});

const added = (path: string, lacks_scopes: boolean) => ({
  method: "GET" as const,
  path,
  access: ANY,
  lacks_scopes,
});

const DIFFERENCE: DocumentDifference = {
  breaking: 3,
  removed: [
    {
      ...operation("/cats"),
      changes: [change("the operation is gone", true, "operation_removed")],
    },
  ],
  added: [
    { ...operation("/dogs"), changes: [change("the operation is new", true)] },
    {
      ...operation("/pets/new"),
      changes: [change("it answers calls of another", false)],
      matched_by: operation("/pets/{pet}"),
    },
  ],
  changed: [
    {
      ...operation("/pets"),
      changes: [
        change("the parameter limit is required", true, "parameter_required"),
        change("the pattern of name changed", false),
      ],
    },
  ],
  renames: [
    {
      from: operation("/cats"),
      to: operation("/animals"),
      changes: [change("the answer 200 is gone", true, "response_removed")],
    },
  ],
  document: [change("the description changed", true)],
  truncated: false,
};

const REPLACED: Compared = {
  difference: DIFFERENCE,
  operations: {
    removed: [removed("/cats"), removed("/pets/mine", "/pets/{pet}")],
    added: [added("/open", true), added("/dogs", false)],
    access: [],
  },
};

const sentences = (changes: readonly { sentence: string }[]) => changes.map((it) => it.sentence);

test("changes are grouped by what they do to callers; trapped calls come first", () => {
  const groups = judgedChanges(REPLACED);
  expect(groups.removed.map(({ path }) => path)).toEqual(["/pets/mine", "/cats"]);
  expect(sentences(groups.breaking)).toEqual([
    "the parameter limit is required",
    "the answer 200 is gone",
  ]);
  expect(groups.breaking.map(({ path }) => path)).toEqual(["/pets", "/animals"]);
  expect(sentences(groups.unjudged)).toEqual([
    "the pattern of name changed",
    "it answers calls of another",
  ]);
  expect(groups.unscoped.map(({ path }) => path)).toEqual(["/open"]);
  expect(groups.added.map(({ path }) => path)).toEqual(["/dogs"]);
  expect(sentences(groups.compatible)).toEqual(["the description changed"]);
});

test("of revisions, operations that came, went or moved are changes among the others", () => {
  const groups = judgedChanges({ difference: DIFFERENCE });
  expect(sentences(groups.breaking)).toEqual([
    "the operation is gone",
    "the parameter limit is required",
  ]);
  expect(sentences(groups.unjudged)).toEqual([
    "the pattern of name changed",
    "it answers calls of another",
    "It may be the operation at /cats, at another path.",
  ]);
  expect(groups.unjudged.map(({ path }) => path)).toEqual(["/pets", "/pets/new", "/animals"]);
  expect(sentences(groups.compatible)).toEqual(["the operation is new", "the description changed"]);
  expect([...groups.removed, ...groups.added, ...groups.unscoped]).toEqual([]);
});

test("without a document before, only operations are listed", () => {
  const groups = judgedChanges({ ...REPLACED, difference: null });
  expect(groups.removed).toHaveLength(2);
  expect([...groups.breaking, ...groups.unjudged, ...groups.compatible]).toEqual([]);
});

test("changes are found by operation, sentence and rule, without regard to case", () => {
  const groups = judgedChanges(REPLACED);
  expect(sentences(findChanges(groups, "parameter_REQUIRED").breaking)).toHaveLength(1);
  expect(sentences(findChanges(groups, "get /animals").breaking)).toEqual([
    "the answer 200 is gone",
  ]);
  expect(findChanges(groups, "Pets/Mine").removed).toHaveLength(1);
  expect(findChanges(groups, "/dogs").removed).toEqual([]);
  expect(findChanges(groups, " ")).toBe(groups);
});
