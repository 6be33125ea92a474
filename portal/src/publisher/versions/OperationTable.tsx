// The operations of a version as a table, with a checkbox in each row. More rows are rendered on
// request, because a version may have thousands.

import { useState } from "react";
import { titleOf } from "../../reference/document/title";
import { count } from "../../text/format";
import { limitInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Badge, Method } from "../../ui/Badge";
import { Breakable } from "../../ui/Breakable";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { More } from "../../ui/More";
import { type Column, Table } from "../../ui/Table";
import { SelectionBar } from "./SelectionBar";
import type { OperationRow } from "./operation_rows";
import { type Selection, select } from "./selection";

const words = text.publisher.version.operations;

/** Number of rows rendered at first, and added on request. */
const PAGE = 50;

interface OperationTableProps extends Selection {
  rows: readonly OperationRow[];
  /** The rows that match the search. */
  found: readonly OperationRow[];
}

export function OperationTable({ rows, found, ...selection }: OperationTableProps) {
  const [size, setSize] = useState(PAGE);
  const shown = found.slice(0, size);
  return (
    <>
      <Card flush>
        <SelectionBar rows={rows} found={found} {...selection} />
        <Table
          label={words.title}
          columns={columnsOf(selection)}
          rows={shown}
          keyOf={({ key }) => key}
        />
      </Card>
      <More
        shown={shown.length}
        total={found.length}
        isPending={false}
        onMore={found.length > size ? () => setSize(size + PAGE) : undefined}
      />
    </>
  );
}

function columnsOf({ selected, onSelect, onEdit }: Selection): readonly Column<OperationRow>[] {
  return [
    {
      title: words.operation,
      isName: true,
      cell: (row) => (
        <Checkbox
          isSelected={selected.has(row.key)}
          onChange={(is) => onSelect(select(selected, [row], is))}
        >
          {row.method && (
            <>
              <Method name={row.method} />{" "}
            </>
          )}
          {row.refused === undefined ? (
            <code>
              <Breakable>{row.name}</Breakable>
            </code>
          ) : (
            row.name
          )}
        </Checkbox>
      ),
    },
    { title: words.summary, cell: ({ summary }) => titleOf(summary) },
    {
      title: words.limits,
      cell: ({ limits, weight = 1 }) =>
        (limits.length > 0 || weight > 1) && (
          <ul>
            {limits.map((limit, index) => (
              <li key={index}>{limitInWords(limit, "operation")}</li>
            ))}
            {weight > 1 && <li>{words.weight(count(weight))}</li>}
          </ul>
        ),
    },
    {
      title: words.scopes,
      cell: ({ scopes }) =>
        scopes.length > 0 && (
          <ul>
            {scopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        ),
    },
    {
      title: words.credential,
      cell: ({ anonymous }) =>
        anonymous ? <Badge tone="warning">{words.notNeeded}</Badge> : words.needed,
    },
    {
      title: "",
      isShort: true,
      cell: (row) => (
        <Button small aria-label={words.editOne(row.key)} onPress={() => onEdit([row])}>
          {words.edit}
        </Button>
      ),
    },
  ];
}
