// The ranges that charts show, and how finely. `range` in an address is one of their names.

export const ranges = {
  "1h": { seconds: 3_600, stepSeconds: 60 },
  "24h": { seconds: 86_400, stepSeconds: 900 },
  "7d": { seconds: 604_800, stepSeconds: 3_600 },
  "30d": { seconds: 2_592_000, stepSeconds: 21_600 },
} as const;

export type Range = keyof typeof ranges;

export const RANGES = Object.keys(ranges) as Range[];
