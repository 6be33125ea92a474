// Fields of the form for limits, and their mapping to limits of the API.

import type { components } from "../api/schema";

export type Limit = components["schemas"]["Limit"];
type Per = components["schemas"]["Per"];
export type Window = components["schemas"]["Window"];
export type Counting = NonNullable<Limit["algorithm"]>["type"];

export interface LimitFields {
  amount: string;
  window: Window;
  counting: Counting;
  /** Used by `gcra`. */
  burst: string;
  /** IANA time zone of a calendar window; UTC if empty. Used by `fixed`. */
  zone: string;
  /** Date from which calendar windows repeat, as the API has it; not a field of the form. */
  anchor: string;
  /** Other members of the limit, which are no fields of the form. */
  others: Omit<Limit, "amount" | "window" | "algorithm">;
}

export const NEW_LIMIT: LimitFields = {
  amount: "",
  window: "minute",
  counting: "fixed",
  burst: "",
  zone: "",
  anchor: "",
  others: {},
};

/** Maximum number of limits of a version or an operation, as in the API. */
export const LIMITS_MAX = 16;

/** Returns whether a time zone decides where such a window begins. */
export function isCalendar(window: Window): boolean {
  return !/(second|minute|hour)s?$/.test(window);
}

export function readLimit({ amount, window, algorithm, ...others }: Limit): LimitFields {
  const known = { ...NEW_LIMIT, amount: String(amount), window: window ?? NEW_LIMIT.window, others };
  switch (algorithm?.type) {
    case "gcra":
      return { ...known, counting: "gcra", burst: String(algorithm.burst) };
    case "rolling":
      return { ...known, counting: "rolling" };
    default:
      return { ...known, zone: algorithm?.zone ?? "", anchor: algorithm?.anchor ?? "" };
  }
}

/** Returns the limit as entered, even if invalid: the API reports the fault. */
export function writeLimit(fields: LimitFields, per: Per): Limit {
  const { window, counting, zone, anchor, others } = fields;
  const own = { per, ...others, amount: Number(fields.amount) };
  if (others.metric === "concurrent") return own;
  const limit = { ...own, window };
  if (counting === "gcra") {
    return { ...limit, algorithm: { type: "gcra", burst: Number(fields.burst) } };
  }
  if (counting === "rolling") return { ...limit, algorithm: { type: "rolling" } };
  const zoned = zone !== "" && isCalendar(window) ? { zone } : {};
  const anchored = anchor !== "" && isCalendar(window) ? { anchor } : {};
  return { ...limit, algorithm: { type: "fixed", ...zoned, ...anchored } };
}
