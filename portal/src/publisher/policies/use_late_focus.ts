import { useCallback, useEffect, useRef, useState } from "react";

/** Returns a function that focuses an element once the next rendering has it. */
export function useLateFocus(): (find: () => HTMLElement | null | undefined) => void {
  const wanted = useRef<() => HTMLElement | null | undefined>(null);
  const [, setAsked] = useState(0);
  useEffect(() => {
    const element = wanted.current?.();
    wanted.current = null;
    element?.focus();
    element?.scrollIntoView({ block: "nearest" });
  });
  return useCallback((find) => {
    wanted.current = find;
    setAsked((times) => times + 1);
  }, []);
}

/** Returns the control with a fault, or the first one, of the field with this JSON pointer. */
export function controlAt(pointer: string): HTMLElement | null {
  const field = document.querySelector(`[data-field="${CSS.escape(pointer)}"]`);
  const faulty = ':is(input, textarea, button)[aria-invalid="true"]';
  return (
    field?.querySelector<HTMLElement>(faulty) ??
    field?.querySelector<HTMLElement>("input, textarea, button") ??
    null
  );
}

/** The id of the button that unfolds a step. */
export const headId = (key: number): string => `step-${key}`;
