// The bar above the table of operations: selects all that match the search, and edits the selected
// ones.

import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Checkbox } from "../../ui/Checkbox";
import styles from "./SelectionBar.module.css";
import type { OperationRow } from "./operation_rows";
import { type Selection, select } from "./selection";

const words = text.publisher.version.operations;

interface SelectionBarProps extends Selection {
  rows: readonly OperationRow[];
  /** The rows that match the search. */
  found: readonly OperationRow[];
}

export function SelectionBar({ rows, found, selected, onSelect, onEdit }: SelectionBarProps) {
  // Selected operations may have been removed from the draft.
  const chosen = rows.filter(({ key }) => selected.has(key));
  const seen = found.filter(({ key }) => selected.has(key)).length;
  return (
    <div className={styles["bar"]}>
      <Checkbox
        isSelected={seen === found.length}
        onChange={(is) => onSelect(select(selected, found, is))}
      >
        {words.selectAll(count(found.length))}
      </Checkbox>
      <p role="status">
        {chosen.length > 0 && words.selected(count(chosen.length))}
        {chosen.length > seen && words.hidden(count(chosen.length - seen))}
      </p>
      {chosen.length > 0 && (
        <div className={styles["actions"]}>
          <Button small look="primary" onPress={() => onEdit(chosen)}>
            {words.edit}
          </Button>
          <Button small onPress={() => onSelect(new Set())}>
            {words.clear}
          </Button>
        </div>
      )}
    </div>
  );
}
