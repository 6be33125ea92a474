// The difference of two documents as callers read them: what breaks callers first.

import { useState } from "react";
import type { DocumentDifference as Difference } from "../../api/queries/revisions";
import { count } from "../../text/format";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import { Badge, Method, type Tone } from "../../ui/Badge";
import { More } from "../../ui/More";
import { Note } from "../../ui/Note";
import { type Column, Table } from "../../ui/Table";
import { type DocumentRow, type Effect, documentRows } from "./document_changes";

const words = text.publisher.version.revisions.document;

/** Rows that are added at a time. */
const ROWS = 50;

export function DocumentDifference({ difference }: { difference: Difference }) {
  const [shown, setShown] = useState(ROWS);
  const rows = documentRows(difference);
  const { breaking, truncated } = difference;
  if (rows.length === 0) return <p>{words.same}</p>;
  return (
    <>
      <Note tone={breaking > 0 ? "warning" : "good"}>
        {breaking > 0 ? words.breaking(count(breaking)) : words.compatible}
      </Note>
      {truncated && <Note tone="information">{words.truncated}</Note>}
      <Table
        label={words.title}
        columns={COLUMNS}
        rows={rows.slice(0, shown)}
        keyOf={(row) => String(rows.indexOf(row))}
      />
      {rows.length > shown && (
        <More
          shown={shown}
          total={rows.length}
          isPending={false}
          onMore={() => setShown(shown + ROWS)}
        />
      )}
    </>
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
        <>
          <Method name={operation.method} /> <code>{operation.path}</code>
        </>
      ),
  },
  { title: words.what, value: (row) => sentence(row.sentence) },
];
