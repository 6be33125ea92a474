// Contents of a document: its operations, and the parts that are not imported.

import type { Preview } from "../../api/queries/imports";
import { count } from "../../text/format";
import { titleOf } from "../../reference/document/title";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { LongList } from "../../ui/LongList";
import { OperationName } from "../../ui/OperationName";
import styles from "./Found.module.css";
import { NotesCard } from "./NotesCard";

const words = text.publisher.import.found;

export function Found({ preview: { operations, described, notes } }: { preview: Preview }) {
  return (
    <>
      <Card title={words.operations(count(operations.length), count(described))}>
        <LongList all={words.allOperations}>
          {operations.map(({ method, name, summary }, index) => (
            <li key={index}>
              <OperationName method={method} name={name} />
              {summary !== "" && <span className={styles["small"]}>{titleOf(summary)}</span>}
            </li>
          ))}
        </LongList>
      </Card>
      <NotesCard notes={notes} />
    </>
  );
}
