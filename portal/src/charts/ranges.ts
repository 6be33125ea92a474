// The ranges that charts show, and how finely: what the API sums up, and what a chart draws of it,
// at most 1,500 points. `range` in an address is one of their names.

import type { UsageStep } from "../api/queries/usage";

interface Shown {
  seconds: number;
  /** What the API is asked for. */
  step: UsageStep;
  /** What is drawn: a whole number of those. */
  stepSeconds: number;
}

export const ranges = {
  "1h": { seconds: 3_600, step: "minute", stepSeconds: 60 },
  "24h": { seconds: 86_400, step: "minute", stepSeconds: 900 },
  "7d": { seconds: 604_800, step: "hour", stepSeconds: 3_600 },
  "30d": { seconds: 2_592_000, step: "day", stepSeconds: 86_400 },
} as const satisfies Record<string, Shown>;

export type Range = keyof typeof ranges;

export const RANGES = Object.keys(ranges) as Range[];
