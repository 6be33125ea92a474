// Time ranges of charts, with the step of the API's sums and the step that is drawn, at most 1,500
// points. The search parameter `range` is one of their names.

import type { UsageStep } from "../api/queries/usage";

interface Shown {
  seconds: number;
  /** Step requested from the API. */
  step: UsageStep;
  /** Step that is drawn: a multiple of the API's step. */
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
