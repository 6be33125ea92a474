// The frame of every paginated list: search and filters above, the rows and how many are shown, and
// a message if there are none.

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

/** A table or another view of the rows; its columns are also those of the file. */
type Shown<Row> =
  | (Omit<TableProps<Row>, "rows"> & { children?: undefined })
  | { columns: readonly CsvColumn<Row>[]; children: (rows: readonly Row[]) => ReactNode };

type ListProps<Row, S extends Search> = Shown<Row> & {
  list: Listing<Row>;
  /** Absent for lists without search; `noHit` is shown if nothing matches. */
  narrow?: FiltersProps<S> & { noHit: string };
  /** Purpose of the list, shown while it is empty. */
  empty: string;
  /** Action offered while it is empty. */
  action?: ReactNode;
  /** Name of the file export; absent if there is none. */
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
                  <Empty action={<ShowAll />}>{searched.noHit}</Empty>
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

/** Checks whether a list is empty without any search, so that a search makes no sense. */
export function isUnused({ data, isPlaceholderData }: Question, search: Search = {}): boolean {
  return data?.total === 0 && !isPlaceholderData && !isNarrowed(search);
}

/** A link to the list without a search. */
export function ShowAll() {
  return (
    <ButtonLink to="." search={{}}>
      {text.ui.all}
    </ButtonLink>
  );
}

function hasValue<Row>(column: Column<Row> | CsvColumn<Row>): column is CsvColumn<Row> {
  return column.value !== undefined;
}
