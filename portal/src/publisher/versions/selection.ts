// The rows that are selected in the table of operations.

import type { OperationRow } from "./operation_rows";

export interface Selection {
  /** The keys of the selected rows. */
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  onEdit: (rows: readonly OperationRow[]) => void;
}

/** Returns the selection with these rows added or removed. */
export function select(
  selected: ReadonlySet<string>,
  rows: readonly OperationRow[],
  isSelected: boolean,
): ReadonlySet<string> {
  const next = new Set(selected);
  for (const { key } of rows) {
    if (isSelected) next.add(key);
    else next.delete(key);
  }
  return next;
}
