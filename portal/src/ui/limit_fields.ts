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
}

export const NEW_LIMIT: LimitFields = {
  amount: "",
  window: "minute",
  counting: "fixed",
  burst: "",
  zone: "",
  anchor: "",
};

/** Maximum number of limits of a version or an operation, as in the API. */
export const LIMITS_MAX = 16;

/** Returns whether a time zone decides where such a window begins. */
export function isCalendar(window: Window): boolean {
  return !/(second|minute|hour)s?$/.test(window);
}

export function readLimit({ amount, window, algorithm }: Limit): LimitFields {
  const fields = { ...NEW_LIMIT, amount: String(amount), window };
  if (algorithm?.type === "gcra") {
    return { ...fields, counting: "gcra", burst: String(algorithm.burst) };
  }
  return { ...fields, zone: algorithm?.zone ?? "", anchor: algorithm?.anchor ?? "" };
}

/** Returns the limit as entered, even if invalid: the API reports the fault. */
export function writeLimit(fields: LimitFields, per: Per): Limit {
  const { window, counting, zone, anchor } = fields;
  const limit = { per, amount: Number(fields.amount), window };
  if (counting === "gcra") {
    return { ...limit, algorithm: { type: "gcra", burst: Number(fields.burst) } };
  }
  const zoned = zone !== "" && isCalendar(window) ? { zone } : {};
  const anchored = anchor !== "" && isCalendar(window) ? { anchor } : {};
  return { ...limit, algorithm: { type: "fixed", ...zoned, ...anchored } };
}
