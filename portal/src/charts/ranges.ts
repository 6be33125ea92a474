// Time ranges of charts, with the step of their points, of which there are 170 at most. The search
// parameter `range` is one of their names.

import type { UsageStep } from "../api/queries/usage";

interface Shown {
  seconds: number;
  step: UsageStep;
}

export const ranges = {
  "1h": { seconds: 3_600, step: "minute" },
  "24h": { seconds: 86_400, step: "hour" },
  "7d": { seconds: 604_800, step: "hour" },
  "30d": { seconds: 2_592_000, step: "day" },
} as const satisfies Record<string, Shown>;

export type Range = keyof typeof ranges;

export const RANGES = Object.keys(ranges) as Range[];
