// The parts of a document that are not imported.

import type { PreviewNote } from "../../api/queries/imports";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { LongList } from "../../ui/LongList";
import styles from "./Found.module.css";

const words = text.publisher.import.found;

export function NotesCard({ notes }: { notes: readonly PreviewNote[] }) {
  return (
    <Card title={words.notes(count(notes.length))} note={notes.length > 0 && words.notesLead}>
      {notes.length === 0 ? (
        <p>{words.noNotes}</p>
      ) : (
        <LongList all={words.allNotes}>
          {notes.map(({ where, detail, operations }, index) => (
            <li key={index}>
              <span>{detail}</span>
              {operations > 0 && (
                <span className={styles["small"]}>{words.touches(count(operations))}</span>
              )}
              <code className={styles["small"]}>{where}</code>
            </li>
          ))}
        </LongList>
      )}
    </Card>
  );
}
