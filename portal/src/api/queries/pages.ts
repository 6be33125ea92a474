// Paginated lists: "Show more" requests the next page by its cursor. A file export has the whole
// list, and so has a choice among its rows.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

/** A page of a list, as the API returns it. */
interface ListPage<T> {
  items: T[];
  next?: string | null;
  total: number;
}

/** A page request: its size and the cursor where it begins, absent for the first page. */
interface PageQuery {
  limit: number;
  after?: string;
}

type FetchPage<T> = (page: PageQuery) => Promise<ListPage<T>>;

/** The part of a list loaded so far. */
interface Found<T> {
  items: readonly T[];
  total: number;
}

/** A list of the API with one set of search parameters. */
export interface Listing<T> {
  /** For `useInfiniteQuery`. */
  pages: ReturnType<typeof pagesOf<T>>;
  /** For `useQuery`: all rows, up to the limit of a file. */
  whole: ReturnType<typeof wholeOf<T>>;
  /** Loads all rows, up to the limit of a file. */
  all: () => Promise<Found<T>>;
}

const PAGE = 50;

export function listing<T>(
  key: readonly unknown[],
  fetchPage: FetchPage<T>,
  limit = PAGE,
): Listing<T> {
  const all = () => allOf(fetchPage);
  return { pages: pagesOf(key, fetchPage, limit), whole: wholeOf(key, all), all };
}

/** Joins the pages. While a changed search is loading, the previous rows stay. */
function pagesOf<T>(key: readonly unknown[], fetchPage: FetchPage<T>, limit: number) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      fetchPage(pageParam === "" ? { limit } : { limit, after: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }): Found<T> => ({
      items: pages.flatMap((page) => page.items),
      total: pages[0]?.total ?? 0,
    }),
  });
}

const wholeOf = <T>(key: readonly unknown[], all: () => Promise<Found<T>>) =>
  queryOptions({ queryKey: [...key, "whole"], queryFn: all });

/** Maximum page size of the API. */
const LIMIT_MAX = 500;
/** Maximum number of rows in a file: about ten seconds of requests. */
const ROWS_MAX = 20_000;

async function allOf<T>(fetchPage: FetchPage<T>): Promise<Found<T>> {
  let page = await fetchPage({ limit: LIMIT_MAX });
  const items = [...page.items];
  while (page.next && items.length < ROWS_MAX) {
    page = await fetchPage({ limit: LIMIT_MAX, after: page.next });
    items.push(...page.items);
  }
  return { items, total: page.total };
}
