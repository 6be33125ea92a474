// Formats limits of plans.

import type { components } from "../api/schema";
import { count } from "./format";
import { text } from "./text";

type Limit = components["schemas"]["Limit"];
type Window = components["schemas"]["Window"];

/** Formats a window: `a minute` or `every 5 minutes`. */
export function windowInWords(window: Window): string {
  const units: Readonly<Record<string, string>> = text.nouns.windows;
  return units[window] ?? text.nouns.everyWindow(window);
}

/** Formats a limit without its scope: `30 a minute, up to 20 at once` or `9 a day (Asia/Tokyo)`. */
export function rateInWords({ amount, window, algorithm }: Limit): string {
  const words = text.nouns;
  if (!window) return words.atOnce(count(amount));
  const rate = words.limit(count(amount), windowInWords(window));
  if (algorithm?.type === "gcra") return `${rate}${words.burst(count(algorithm.burst))}`;
  return algorithm?.type === "fixed" && algorithm.zone
    ? `${rate}${words.zone(algorithm.zone)}`
    : rate;
}

/** Formats a limit; names its scope unless a subscription. */
export function limitInWords(limit: Limit): string {
  const { per = [] } = limit;
  const rate = rateInWords(limit);
  if (per === "subscription") return rate;
  const scopes = [per].flat().map((word) => text.nouns.per[word]);
  return [rate, ...scopes].join(" ");
}
