// Limits of plans in words.

import type { components } from "../api/schema";
import { count } from "./format";
import { text } from "./text";

type Limit = components["schemas"]["Limit"];

/** `3,000 a minute for each subscription, up to 20 at once`. */
export function limitInWords({ amount, window, per, algorithm }: Limit): string {
  const words = text.nouns;
  const rate = words.limit(count(amount), words.windows[window]);
  const burst = algorithm?.type === "gcra" ? words.burst(count(algorithm.burst)) : "";
  return `${rate} ${words.per[per]}${burst}`;
}

/** `3,000 a minute`: where a line has to do. */
export function rateInWords({ amount, window }: Limit): string {
  return text.nouns.limit(count(amount), text.nouns.windows[window]);
}
