// Times relative to now, with the exact time in the title.

import { useSyncExternalStore } from "react";
import { dateTime, relative } from "../text/format";

const TICK_MS = 30_000;

function everySoOften(onChange: () => void): () => void {
  const timer = setInterval(onChange, TICK_MS);
  return () => clearInterval(timer);
}

/** Returns the current time, updated in steps so that all times of a page agree. */
export function useNow(): number {
  return useSyncExternalStore(everySoOften, () => Math.floor(Date.now() / TICK_MS) * TICK_MS);
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {relative(at, useNow())}
    </time>
  );
}
