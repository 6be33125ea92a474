// The frame of every list that the API gives page by page: search and filters above it, what was
// found and how much of it is shown, and what stands there where nothing is.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Listing } from "../api/queries/pages";
import { text } from "../text/text";
import { ButtonLink } from "./Button";
import { Card } from "./Card";
import type { CsvColumn } from "./csv";
import { Empty } from "./Empty";
import { Filters, type FiltersProps, type Search, isNarrowed } from "./Filters";
import { Loaded } from "./Loaded";
import { More } from "./More";
import { SaveCsv } from "./SaveCsv";
import { type Column, Table, type TableProps } from "./Table";

/** A table, or whatever else shows the rows, whose columns are those of the file. */
type Shown<Row> =
  | (Omit<TableProps<Row>, "rows"> & { children?: undefined })
  | { columns: readonly CsvColumn<Row>[]; children: (rows: readonly Row[]) => ReactNode };

type ListProps<Row, S extends Search> = Shown<Row> & {
  list: Listing<Row>;
  /** Absent where all of a list is asked for; `noHit`: what to say where nothing fits. */
  narrow?: FiltersProps<S> & { noHit: string };
  /** What the list is for, where there is nothing yet. */
  empty: string;
  /** What to do then. */
  action?: ReactNode;
  /** The name of the file that has all of it; absent where nobody wants one. */
  file?: string;
};

export function List<Row, S extends Search>(props: ListProps<Row, S>) {
  const { list, narrow, empty, action, file } = props;
  const query = useInfiniteQuery(list.pages);
  const searched = isUnused(query, narrow?.search) ? undefined : narrow;
  return (
    <>
      {searched && <Filters {...searched} />}
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            {items.length > 0 && shownOf(props, items)}
            {items.length === 0 && (
              <Card flush>
                {searched ? (
                  <Empty action={<All />}>{searched.noHit}</Empty>
                ) : (
                  <Empty action={action}>{empty}</Empty>
                )}
              </Card>
            )}
            {items.length > 0 && (
              <More
                shown={items.length}
                total={total}
                isPending={query.isFetchingNextPage}
                onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              >
                {file !== undefined && (
                  <SaveCsv name={file} list={list} columns={props.columns.filter(hasValue)} />
                )}
              </More>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function shownOf<Row>(shown: Shown<Row>, rows: readonly Row[]): ReactNode {
  if (shown.children) return shown.children(rows);
  return (
    <Card flush>
      <Table {...shown} rows={rows} />
    </Card>
  );
}

interface Question {
  data: { total: number } | undefined;
  isPlaceholderData: boolean;
}

/** Whether a list holds nothing at all, so that there is nothing to search. */
export function isUnused({ data, isPlaceholderData }: Question, search: Search = {}): boolean {
  return data?.total === 0 && !isPlaceholderData && !isNarrowed(search);
}

function All() {
  return (
    <ButtonLink to="." search={{}}>
      {text.ui.all}
    </ButtonLink>
  );
}

function hasValue<Row>(column: Column<Row> | CsvColumn<Row>): column is CsvColumn<Row> {
  return column.value !== undefined;
}
