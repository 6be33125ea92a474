// Lists that are shown page by page: "Show more" asks for the next one by its cursor.

import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";

/** A page of a list, as the API gives it. */
interface ListPage<T> {
  items: T[];
  next?: string | null;
  total: number;
}

/** A list of the API under one search, for `useInfiniteQuery`. */
export type Listing<T> = ReturnType<typeof listing<T>>;

/** What has come of a list so far. */
interface Found<T> {
  items: readonly T[];
  total: number;
}

/**
 * The pages of a list, joined. While a changed search is under way, what was found before stays.
 * `ask` gets the cursor of the page, absent for the first one.
 */
export function listing<T>(
  key: readonly unknown[],
  ask: (page: { after?: string }) => Promise<ListPage<T>>,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) => ask(pageParam === "" ? {} : { after: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }): Found<T> => ({
      items: pages.flatMap((page) => page.items),
      total: pages[0]?.total ?? 0,
    }),
  });
}
