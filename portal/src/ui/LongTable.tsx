// A table of many rows that are all loaded: some are shown, and "Show more" adds the next ones.

import { useState } from "react";
import styles from "./LongTable.module.css";
import { More } from "./More";
import { Table, type TableProps } from "./Table";

interface LongTableProps<Row> extends TableProps<Row> {
  /** Number of rows that are shown at first, and added at a time. */
  step: number;
}

export function LongTable<Row>({ rows, step, ...table }: LongTableProps<Row>) {
  const [shown, setShown] = useState(step);
  return (
    <>
      <Table {...table} rows={rows.slice(0, shown)} />
      {rows.length > shown && (
        <div className={styles["more"]}>
          <More
            shown={shown}
            total={rows.length}
            isPending={false}
            onMore={() => setShown(shown + step)}
          />
        </div>
      )}
    </>
  );
}
