import type { ReactNode } from "react";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";
import styles from "./Document.module.css";

const words = text.publisher.version.document.stale;

interface StaleNoteProps {
  /** The parts of the draft that someone else has changed. */
  changes: readonly string[];
  /** What the user has to do. */
  children: ReactNode;
}

export function StaleNote({ changes, children }: StaleNoteProps) {
  return (
    <Note tone="bad">
      <p>
        <strong>{words.title}</strong> {children}
      </p>
      <p>{words.changed}</p>
      <ul className={styles["parts"]}>
        {changes.map((part) => (
          <li key={part}>
            <code>{part}</code>
          </li>
        ))}
        {changes.length === 0 && <li>{words.document}</li>}
      </ul>
    </Note>
  );
}
