// Formats limits of plans.

import type { components } from "../api/schema";
import { count } from "./format";
import { text } from "./text";

type Limit = components["schemas"]["Limit"];

/** Formats a limit: `3,000 a minute, up to 20 at once`; names its scope unless a subscription. */
export function limitInWords({ amount, window, per, algorithm }: Limit): string {
  const words = text.nouns;
  const rate = words.limit(count(amount), words.windows[window]);
  const burst = algorithm?.type === "gcra" ? words.burst(count(algorithm.burst)) : "";
  return `${rate}${burst}${per === "subscription" ? "" : ` ${words.per[per]}`}`;
}
