import { useCallback, useEffect, useRef, useState } from "react";
import { showControl } from "../../ui/fault_places";

/** Returns a function that focuses an element once the next rendering has it. */
export function useLateFocus(): (find: () => HTMLElement | null | undefined) => void {
  const wanted = useRef<() => HTMLElement | null | undefined>(null);
  const [, setAsked] = useState(0);
  useEffect(() => {
    const element = wanted.current?.();
    wanted.current = null;
    if (element) showControl(element);
  });
  return useCallback((find) => {
    wanted.current = find;
    setAsked((times) => times + 1);
  }, []);
}

/** The id of the button that unfolds a step. */
export const headId = (key: number): string => `step-${key}`;
