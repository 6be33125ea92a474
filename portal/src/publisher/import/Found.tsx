// Contents of a document: its operations, and the parts that are not imported.

import { useState } from "react";
import type { Preview } from "../../api/queries/imports";
import { count } from "../../text/format";
import { titleOf } from "../../reference/document/title";
import { text } from "../../text/text";
import { Method } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import styles from "./Found.module.css";

const words = text.publisher.import.found;

/** Rows shown before "Show all", and at most as many as render quickly. */
const SHOWN = 12;
const SHOWN_MAX = 500;

export function Found({ preview: { operations, described, notes } }: { preview: Preview }) {
  return (
    <>
      <Card title={words.operations(count(operations.length), count(described))}>
        <Some label={words.allOperations}>
          {operations.map(({ method, name, summary }, index) => (
            <li key={index}>
              <span className={styles["operation"]}>
                {method && <Method name={method} />}
                <code>{name}</code>
              </span>
              {summary !== "" && <span className={styles["small"]}>{titleOf(summary)}</span>}
            </li>
          ))}
        </Some>
      </Card>
      <Card title={words.notes(count(notes.length))} note={notes.length > 0 && words.notesLead}>
        {notes.length === 0 ? (
          <p>{words.noNotes}</p>
        ) : (
          <Some label={words.allNotes}>
            {notes.map(({ where, detail, operations: touched }, index) => (
              <li key={index}>
                <span>{detail}</span>
                {touched > 0 && (
                  <span className={styles["small"]}>{words.touches(count(touched))}</span>
                )}
                <code className={styles["small"]}>{where}</code>
              </li>
            ))}
          </Some>
        )}
      </Card>
    </>
  );
}

function Some({ label, children }: { label: string; children: React.ReactNode[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = children.slice(0, isWhole ? SHOWN_MAX : SHOWN);
  return (
    <>
      <ul className={styles["list"]}>{shown}</ul>
      {!isWhole && children.length > SHOWN && (
        <div>
          <Button small onPress={() => setWhole(true)}>
            {label}
          </Button>
        </div>
      )}
      {isWhole && children.length > SHOWN_MAX && (
        <p>{words.first(count(SHOWN_MAX), count(children.length))}</p>
      )}
    </>
  );
}
