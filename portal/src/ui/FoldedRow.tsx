// A row of a list that unfolds to its fields. It stays open while they have faults.

import type { ReactNode } from "react";
import { Button } from "./Button";
import { useFaults } from "./Field";
import { fieldAttributes } from "./fault_places";
import styles from "./FoldedRow.module.css";

interface FoldedRowProps {
  /** What the row is about, in monospace. */
  name: string;
  summary: ReactNode;
  /** JSON pointer of its value in the request. */
  pointer: string;
  isOpen: boolean;
  /** Absent if it has no fields. */
  onToggle?: ((isOpen: boolean) => void) | undefined;
  /** Further buttons. */
  actions?: ReactNode;
  words: {
    open: string;
    close: string;
    openOf: (name: string) => string;
    closeOf: (name: string) => string;
    fieldsOf: (name: string) => string;
  };
  children: ReactNode;
}

export function FoldedRow(props: FoldedRowProps) {
  const { name, summary, pointer, isOpen, onToggle, actions, words, children } = props;
  const hasFault = useFaults(pointer).length > 0;
  const isUnfolded = onToggle !== undefined && (isOpen || hasFault);
  return (
    <div
      className={styles["row"]}
      data-fault={hasFault || undefined}
      {...fieldAttributes(pointer, name)}
    >
      <div className={styles["head"]}>
        <span className={styles["what"]}>
          <code>{name}</code> <span className={styles["summary"]}>{summary}</span>
        </span>
        {onToggle && (
          <span className={styles["buttons"]}>
            <Button
              small
              aria-expanded={isUnfolded}
              aria-label={isUnfolded ? words.closeOf(name) : words.openOf(name)}
              onPress={() => onToggle(!isUnfolded)}
            >
              {isUnfolded ? words.close : words.open}
            </Button>
            {actions}
          </span>
        )}
      </div>
      {isUnfolded && (
        <div className={styles["fields"]} role="group" aria-label={words.fieldsOf(name)}>
          {children}
        </div>
      )}
    </div>
  );
}
