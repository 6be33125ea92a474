// The differences of two documents by their effect on callers, in the order in which publishers
// have to look at them: what breaks callers, what could not be judged, the rest.

import type {
  AccessChange,
  AddedOperation,
  DocumentDifference,
  RemovedOperation,
  ReplacedDocument,
} from "../../api/queries/documents";
import { type PlacedChange, changesByEffect, changesOf } from "../../text/document_changes";

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

/** The difference of two documents, and what replacing one with the other does to operations. */
export interface Compared {
  /** Absent if there was no document before. */
  difference: DocumentDifference | null | undefined;
  /** Absent for documents of revisions. */
  operations?: Pick<ReplacedDocument, "added" | "removed" | "access">;
}

const NO_OPERATIONS: NonNullable<Compared["operations"]> = { added: [], removed: [], access: [] };

export function judgedChanges({ difference, operations }: Compared): JudgedChanges {
  const { added, removed, access } = operations ?? NO_OPERATIONS;
  const shown = difference && operations ? withoutListed(difference) : difference;
  const { breaking, unjudged, compatible } = changesByEffect(shown ? changesOf(shown) : []);
  return {
    removed: [...removed.filter((it) => it.reached), ...removed.filter((it) => !it.reached)],
    breaking,
    unjudged,
    unscoped: added.filter(({ lacks_scopes }) => lacks_scopes),
    access,
    added: added.filter(({ lacks_scopes }) => !lacks_scopes),
    compatible,
  };
}

/**
 * Leaves out the operations that a replacement lists: removed, added and moved ones. Changes of
 * moved ones stay, and so do added ones that answer calls of another operation.
 */
function withoutListed({ added, changed, renames, ...rest }: DocumentDifference) {
  const moved = renames.map(({ to, changes }) => ({ ...to, changes }));
  const taking = added.filter(({ matched_by }) => matched_by != null);
  return { ...rest, added: taking, changed: [...changed, ...moved], removed: [], renames: [] };
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
