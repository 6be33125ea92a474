import type { ReactNode } from "react";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";
import type { Change } from "../versions/changes";
import styles from "./Document.module.css";

const words = text.publisher.version.document.stale;
const { part: partInWords, parts } = text.publisher.version.deploy;

interface StaleNoteProps {
  /** What someone else has changed in the draft. */
  changes: readonly Change[];
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
        {changes.map(({ part, members }) => (
          <li key={part}>{partInWords(parts[part], members)}</li>
        ))}
        {changes.length === 0 && <li>{words.document}</li>}
      </ul>
    </Note>
  );
}
