// The changes of a document for callers, as rows: those that break callers first.

import type { DocumentChange, DocumentDifference } from "../../api/queries/revisions";
import { text } from "../../text/text";

/** The effect of a change on callers. */
export type Effect = "breaks" | "unknown" | "compatible";

export interface DocumentRow {
  effect: Effect;
  /** Absent for changes outside of operations. */
  operation?: { method: string; path: string };
  sentence: string;
  /** The rule by which it breaks callers. */
  rule?: string;
}

const ORDER: readonly Effect[] = ["breaks", "unknown", "compatible"];

function effectOf({ breaking, judged }: DocumentChange): Effect {
  if (breaking != null) return "breaks";
  return judged ? "compatible" : "unknown";
}

type Operation = DocumentDifference["changed"][number];

export function documentRows(difference: DocumentDifference): DocumentRow[] {
  const { removed, added, changed, renames, document } = difference;
  const rows = [...removed, ...changed, ...added].flatMap(({ changes, ...operation }: Operation) =>
    changes.map((change) => rowOf(change, operation)),
  );
  for (const { from, to } of renames) {
    // The removed and the added operation have rows of their own, which count as well.
    const sentence = text.publisher.version.revisions.document.renamed(from.path);
    const { method, path } = to;
    rows.push({ effect: "unknown", operation: { method, path }, sentence });
  }
  rows.push(...document.map((change) => rowOf(change)));
  return rows.toSorted((a, b) => ORDER.indexOf(a.effect) - ORDER.indexOf(b.effect));
}

function rowOf(change: DocumentChange, operation?: DocumentRow["operation"]): DocumentRow {
  const { sentence, breaking } = change;
  return {
    effect: effectOf(change),
    sentence,
    ...(operation ? { operation: { method: operation.method, path: operation.path } } : {}),
    ...(breaking == null ? {} : { rule: breaking }),
  };
}
