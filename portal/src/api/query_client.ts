// What answers are kept, and what pages do when one fails.

import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./problem";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A page asks for what it shows, even if another has just asked: "Show as command" tells it.
      refetchOnMount: "always",
      // Reading again helps where nobody answered or a gateway or the store lagged, and nowhere
      // else.
      retry: (count, error) => {
        const { status } = Problem.from(error);
        return count < 2 && (status === 0 || status >= 500);
      },
    },
  },
});

/**
 * Waits for a change, then has asked again what begins with one of these keys: also where it
 * failed, since what is not in force yet is saved.
 */
export async function thenAskAgain<T>(
  change: Promise<T>,
  ...keys: readonly (readonly string[])[]
): Promise<T> {
  try {
    return await change;
  } finally {
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }
}
