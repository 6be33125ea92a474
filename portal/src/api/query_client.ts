// Caching and retry policy of queries.

import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./problem";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Every page sends its own requests, because "Show as command" lists them.
      refetchOnMount: "always",
      // A retry helps only if there was no response, or a gateway or the store lagged.
      retry: (count, error) => {
        const { status } = Problem.from(error);
        return count < 2 && (status === 0 || status >= 500);
      },
    },
  },
});

/**
 * Waits for a change, then refetches queries that begin with one of these keys, even if it failed:
 * a change that is not yet in effect is saved.
 */
export async function thenRefetch<T>(
  change: Promise<T>,
  ...keys: readonly (readonly string[])[]
): Promise<T> {
  try {
    return await change;
  } finally {
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }
}
