// Lists that are shown page by page: "Show more" asks for the next one by its cursor. A file has
// all of a list.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";

/** A page of a list, as the API gives it. */
interface ListPage<T> {
  items: T[];
  next?: string | null;
  total: number;
}

/** Which page of a list: how long it is, and the cursor where it begins, absent for the first. */
interface PageQuery {
  limit: number;
  after?: string;
}

type Ask<T> = (page: PageQuery) => Promise<ListPage<T>>;

/** What has come of a list so far. */
interface Found<T> {
  items: readonly T[];
  total: number;
}

/** A list of the API, under one search. */
export interface Listing<T> {
  /** For `useInfiniteQuery`. */
  pages: ReturnType<typeof pagesOf<T>>;
  /** As much of it as a file takes. */
  all: () => Promise<Found<T>>;
}

const PAGE = 50;

export function listing<T>(key: readonly unknown[], ask: Ask<T>, limit = PAGE): Listing<T> {
  return { pages: pagesOf(key, ask, limit), all: () => allOf(ask) };
}

/** The pages, joined. While a changed search is under way, what was found before stays. */
function pagesOf<T>(key: readonly unknown[], ask: Ask<T>, limit: number) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) => ask(pageParam === "" ? { limit } : { limit, after: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }): Found<T> => ({
      items: pages.flatMap((page) => page.items),
      total: pages[0]?.total ?? 0,
    }),
  });
}

/** The longest page that the API gives. */
const LIMIT_MAX = 500;
/** Rows of a file: ten seconds of asking. */
const ROWS_MAX = 20_000;

async function allOf<T>(ask: Ask<T>): Promise<Found<T>> {
  let page = await ask({ limit: LIMIT_MAX });
  const items = [...page.items];
  while (page.next && items.length < ROWS_MAX) {
    page = await ask({ limit: LIMIT_MAX, after: page.next });
    items.push(...page.items);
  }
  return { items, total: page.total };
}
