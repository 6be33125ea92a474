import { useSyncExternalStore } from "react";

/** Whether the window is as a query of CSS says. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const list = matchMedia(query);
      list.addEventListener("change", tell);
      return () => list.removeEventListener("change", tell);
    },
    () => matchMedia(query).matches,
  );
}
