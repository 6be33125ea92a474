// Rows of a list. On a phone each row is a card: nothing scrolls sideways.

import type { ReactNode } from "react";
import { count } from "../text/format";
import styles from "./Table.module.css";
import { Time } from "./Time";

/** A column has a value, which is also in files, or a cell that renders it, or both. */
export type Column<Row> = ColumnLook &
  (
    | { value: (row: Row) => string | number; cell?: undefined }
    | { value?: (row: Row) => string | number; cell: (row: Row) => ReactNode }
  );

interface ColumnLook {
  /** Empty for a column of actions. */
  title: string;
  /** Right-aligned, as numbers are. */
  isNumber?: boolean;
  /** Whether its cell names the row. */
  isName?: boolean;
  /** Whether it is only as wide as its content. */
  isShort?: boolean;
}

export interface TableProps<Row> {
  /** Label for screen readers. */
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
                  {column.cell ? column.cell(row) : shown(column.value(row))}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const shown = (value: string | number): string =>
  typeof value === "number" ? count(value) : value;

/** Returns a column of times; files have them as RFC 3339. */
export function timeColumn<Row>(title: string, at: (row: Row) => string): Column<Row> {
  return { title, value: at, cell: (row) => <Time at={at(row)} /> };
}
