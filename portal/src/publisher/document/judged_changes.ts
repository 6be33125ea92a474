// The effects of a new document on callers, in the order in which publishers have to look at them:
// what breaks callers, what could not be judged, the rest.

import type {
  AccessChange,
  AddedOperation,
  DocumentChange,
  RemovedOperation,
  ReplacedDocument,
} from "../../api/queries/documents";

/** A change with the operation that it belongs to, if any. */
export interface PlacedChange extends DocumentChange {
  method?: string;
  path?: string;
}

export interface JudgedChanges {
  /** Those with calls that another operation receives now come first. */
  removed: readonly RemovedOperation[];
  breaking: readonly PlacedChange[];
  unjudged: readonly PlacedChange[];
  /** New operations that every credential may call although the version has scopes. */
  unscoped: readonly AddedOperation[];
  access: readonly AccessChange[];
  /** Other new operations. */
  added: readonly AddedOperation[];
  compatible: readonly PlacedChange[];
}

type Replaced = Pick<ReplacedDocument, "added" | "removed" | "access" | "difference">;

export function judgedChanges({ added, removed, access, difference }: Replaced): JudgedChanges {
  const changes = changesOf(difference);
  return {
    removed: [...removed.filter((it) => it.reached), ...removed.filter((it) => !it.reached)],
    breaking: changes.filter(({ breaking }) => breaking != null),
    unjudged: changes.filter(({ breaking, judged }) => breaking == null && !judged),
    unscoped: added.filter(({ lacks_scopes }) => lacks_scopes),
    access,
    added: added.filter(({ lacks_scopes }) => !lacks_scopes),
    compatible: changes.filter(({ breaking, judged }) => breaking == null && judged),
  };
}

/** Returns all changes, except that operations came or went: these are listed with their calls. */
function changesOf(difference: Replaced["difference"]): PlacedChange[] {
  if (!difference) return [];
  const { changed, renames, document } = difference;
  const renamed = renames.map(({ to, changes }) => ({ ...to, changes }));
  const ofOperations = [...changed, ...renamed].flatMap(({ method, path, changes }) =>
    changes.map((change) => ({ ...change, method, path })),
  );
  return [...ofOperations, ...document];
}

/** Returns the changes of operations, and with sentences, that contain this text. */
export function findChanges(all: JudgedChanges, q: string): JudgedChanges {
  const wanted = q.trim().toLowerCase();
  if (wanted === "") return all;
  const has = (...texts: readonly (string | null | undefined)[]) =>
    texts.filter(Boolean).join(" ").toLowerCase().includes(wanted);
  const isNamed = ({ method, path }: { method: string; path: string }) => has(method, path);
  const isPlaced = ({ method, path, sentence, breaking, pointer }: PlacedChange) =>
    has(method, path, sentence, breaking, pointer);
  return {
    removed: all.removed.filter(({ method, path, reached, callers }) =>
      has(method, path, reached?.path, ...callers.map(({ application }) => application?.name)),
    ),
    breaking: all.breaking.filter(isPlaced),
    unjudged: all.unjudged.filter(isPlaced),
    unscoped: all.unscoped.filter(isNamed),
    access: all.access.filter(isNamed),
    added: all.added.filter(isNamed),
    compatible: all.compatible.filter(isPlaced),
  };
}

/** Counts the changes by their effect on callers. */
export function countOf(all: JudgedChanges) {
  return {
    breaking: all.removed.length + all.breaking.length,
    unjudged: all.unjudged.length,
    other: all.unscoped.length + all.access.length + all.added.length + all.compatible.length,
  };
}
