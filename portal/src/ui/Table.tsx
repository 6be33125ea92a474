// Rows of a list. On a phone each row is a card: nothing scrolls sideways.

import type { ReactNode } from "react";
import styles from "./Table.module.css";

export interface Column<Row> {
  /** Empty for a column of actions. */
  title: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned, as numbers are. */
  isNumber?: boolean;
  /** The cell that names the row. */
  isName?: boolean;
  /** As narrow as its words: the room is for other columns. */
  isShort?: boolean;
}

interface TableProps<Row> {
  /** What the rows are, for who does not see the table. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

function classOf({ isNumber, isShort }: Pick<Column<unknown>, "isNumber" | "isShort">) {
  if (isNumber) return styles["number"];
  return isShort ? styles["short"] : undefined;
}

export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className={styles["table"]} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column, index) =>
            column.title === "" ? (
              <td key={index} />
            ) : (
              <th key={index} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => {
              const Cell = column.isName ? "th" : "td";
              return (
                <Cell
                  key={index}
                  {...(column.isName ? { scope: "row" as const } : {})}
                  data-title={column.title}
                  className={classOf(column)}
                >
                  {column.cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
