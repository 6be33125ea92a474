// The changes between two OpenAPI documents by their effect on callers: what breaks calls, what
// could not be judged, the rest. Publishers see them before they save a document, developers before
// they move to another version.

import type { DocumentChange, DocumentDifference } from "../api/queries/documents";
import { text } from "./text";

/** A change with the operation that it belongs to, if any. */
export interface PlacedChange extends DocumentChange {
  method?: string;
  path?: string;
}

/** Returns all changes of a difference: of operations, proposed renames, the rest. */
export function changesOf(difference: DocumentDifference): PlacedChange[] {
  const { removed, changed, added, renames, document } = difference;
  const ofOperations = [...removed, ...changed, ...added].flatMap(({ method, path, changes }) =>
    changes.map((change) => ({ ...change, method, path })),
  );
  // The removed and the added operation are listed as well.
  const moved = renames.map(({ from, to: { method, path, pointer } }) => {
    const sentence = text.publisher.version.document.change.moved(from.path);
    return { method, path, pointer, of: "new" as const, sentence, judged: false };
  });
  return [...ofOperations, ...moved, ...document];
}

/** Groups changes by their effect on callers. */
export function changesByEffect(changes: readonly PlacedChange[]) {
  return {
    breaking: changes.filter(({ breaking }) => breaking != null),
    unjudged: changes.filter(({ breaking, judged }) => breaking == null && !judged),
    compatible: changes.filter(({ breaking, judged }) => breaking == null && judged),
  };
}
