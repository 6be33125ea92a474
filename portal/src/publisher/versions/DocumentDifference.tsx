// The difference of two documents as callers read them: what breaks callers first.

import type { DocumentDifference as Difference } from "../../api/queries/revisions";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Badge, Method, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { LongTable } from "../../ui/LongTable";
import { Sentence } from "../../ui/Sentence";
import type { Column } from "../../ui/Table";
import styles from "./Differences.module.css";
import { type DocumentRow, type Effect, documentRows } from "./document_changes";

const words = text.publisher.version.revisions.document;

/** Number of rows that are shown at a time. */
const ROWS = 50;

export function DocumentDifference({ difference }: { difference: Difference }) {
  const rows = documentRows(difference);
  const { breaking, truncated } = difference;
  if (rows.length === 0) {
    return (
      <Card title={words.title}>
        <p>{words.same}</p>
      </Card>
    );
  }
  return (
    <Card
      title={words.title}
      note={breaking > 0 ? words.breaking(count(breaking)) : words.compatible}
      flush
    >
      <LongTable
        label={words.title}
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => String(rows.indexOf(row))}
        step={ROWS}
      />
      {truncated && <Empty>{words.truncated}</Empty>}
    </Card>
  );
}

const TONES: Record<Effect, Tone> = { breaks: "bad", unknown: "warning", compatible: "quiet" };

const COLUMNS: readonly Column<DocumentRow>[] = [
  {
    title: words.effect,
    isShort: true,
    cell: ({ effect }) => <Badge tone={TONES[effect]}>{words.effects[effect]}</Badge>,
  },
  {
    title: words.operation,
    isName: true,
    cell: ({ operation }) =>
      operation && (
        <span className={styles["what"]}>
          <span>
            <Method name={operation.method} /> <code>{operation.path}</code>
          </span>
        </span>
      ),
  },
  {
    title: words.what,
    cell: ({ sentence: detail, rule }) => (
      <>
        <Sentence>{detail}</Sentence>
        {rule !== undefined && <code className={styles["rule"]}>{rule}</code>}
      </>
    ),
  },
];
