// Fields of the form for limits, and their mapping to limits of the API.

import { Problem } from "../api/problem";
import {
  DIMENSIONS,
  type Dimension,
  type Limit,
  type Metric,
  OWN_DIMENSION,
  type Owner,
  dimensionsOf,
} from "../text/limit";
import { text } from "../text/text";
import {
  type ConditionFields,
  readCondition,
  repeatedTest,
  writeCondition,
} from "./condition_fields";

export type Counting = NonNullable<Limit["algorithm"]>["type"];
/** What happens to calls beyond the amount. */
export type Exceeding = "reject" | "soft" | "observe";
/** The calls that a limit applies to. */
export type Applies = "always" | "if" | "otherwise";

export const UNITS = ["second", "minute", "hour", "day", "week", "month", "year"] as const;
export type Unit = (typeof UNITS)[number];

export interface LimitFields {
  /** Name in `RateLimit-Policy`; empty for the usual one. */
  name: string;
  metric: Metric;
  /** Dimensions besides the owner's own. */
  per: readonly Dimension[];
  amount: string;
  /** Number of units in a window. */
  windowCount: string;
  windowUnit: Unit;
  counting: Counting;
  /** Used by `gcra`. */
  burst: string;
  /** IANA time zone of a calendar window; UTC if empty. Used by `fixed`. */
  zone: string;
  /** Date from which calendar windows repeat. Used by `fixed`. */
  anchor: string;
  exceeding: Exceeding;
  /** Percentage that a soft limit admits on top. */
  overage: string;
  applies: Applies;
  conditions: readonly ConditionFields[];
  /** Names of the plans that a limit of an operation applies to; all if empty. */
  plans: readonly string[];
}

const NEW_LIMIT: LimitFields = {
  name: "",
  metric: "requests",
  per: [],
  amount: "",
  windowCount: "1",
  windowUnit: "minute",
  counting: "fixed",
  burst: "",
  zone: "",
  anchor: "",
  exceeding: "reject",
  overage: "",
  applies: "always",
  conditions: [],
  plans: [],
};

/** Returns the fields of a limit that is added to a list. */
export function newLimit(owner: Owner): LimitFields {
  return owner === "plan" ? { ...NEW_LIMIT, per: ["subscription"] } : NEW_LIMIT;
}

/** Returns the maximum number of limits in a list, as in the API. */
export const limitsMax = (owner: Owner) => (owner === "plan" ? 32 : 16);

/** Returns the metrics that an owner's limits can have. */
export function metricsOf(owner: Owner): readonly Metric[] {
  if (owner === "upstream") return ["requests", "concurrent"];
  return ["requests", "units", "bytes_in", "bytes_out", "bytes", "concurrent"];
}

/** Returns the ways in which a metric can be counted; none if there is no window. */
export function countingsOf(metric: Metric): readonly Counting[] {
  switch (metric) {
    case "requests":
      return ["fixed", "gcra", "rolling"];
    case "units":
      return ["fixed", "gcra"];
    case "concurrent":
      return [];
    default:
      return ["fixed"];
  }
}

/** Returns what can happen beyond the amount. */
export function exceedingsOf({ metric, counting }: LimitFields): readonly Exceeding[] {
  const isSoftPossible = metric !== "concurrent" && countingOf(metric, counting) !== "gcra";
  return isSoftPossible ? ["reject", "soft", "observe"] : ["reject", "observe"];
}

/** Returns the way that counts: the chosen one, if the metric can be counted so. */
function countingOf(metric: Metric, counting: Counting): Counting {
  return countingsOf(metric).includes(counting) ? counting : "fixed";
}

/** Returns the fields that have a meaning, with their choices replaced by possible ones. */
export function possible(fields: LimitFields): LimitFields {
  const counting = countingOf(fields.metric, fields.counting);
  const exceeding = exceedingsOf({ ...fields, counting }).includes(fields.exceeding)
    ? fields.exceeding
    : "reject";
  return { ...fields, counting, exceeding };
}

/** Returns whether a calendar decides where such a window begins. */
export function isCalendar({ windowUnit }: Pick<LimitFields, "windowUnit">): boolean {
  return UNITS.indexOf(windowUnit) >= UNITS.indexOf("day");
}

const isUnit = (unit: string): unit is Unit => (UNITS as readonly string[]).includes(unit);

function readWindow(window: string): Pick<LimitFields, "windowCount" | "windowUnit"> {
  const [, windowCount = "1", unit = ""] = /^(?:(\d+) )?([a-z]+?)s?$/.exec(window) ?? [];
  return { windowCount, windowUnit: isUnit(unit) ? unit : "minute" };
}

function writeWindow({ windowCount, windowUnit }: LimitFields): string {
  return windowCount === "1" ? windowUnit : `${windowCount} ${windowUnit}s`;
}

export function readLimit(limit: Limit, owner: Owner): LimitFields {
  const { algorithm, soft, if: condition } = limit;
  const own = OWN_DIMENSION[owner];
  const counting = algorithm?.type ?? "fixed";
  const fields: LimitFields = {
    ...NEW_LIMIT,
    name: limit.name ?? "",
    metric: limit.metric ?? "requests",
    per: dimensionsOf(limit).filter((it) => it !== own),
    amount: String(limit.amount),
    ...(limit.window ? readWindow(limit.window) : {}),
    counting,
    conditions: readCondition(condition),
    plans: limit.plans ?? [],
  };
  if (algorithm?.type === "gcra") fields.burst = String(algorithm.burst);
  if (algorithm?.type === "fixed") {
    fields.zone = algorithm.zone ?? "";
    fields.anchor = algorithm.anchor ?? "";
  }
  if (soft) Object.assign(fields, { exceeding: "soft", overage: String(soft.overage_percent) });
  if (limit.on_exceeding === "observe") fields.exceeding = "observe";
  if (limit.otherwise) fields.applies = "otherwise";
  if (condition) fields.applies = "if";
  return fields;
}

/** Returns the field without which a limit cannot be written in words, if it is not filled in. */
export function lackingField(entered: LimitFields): "amount" | "burst" | undefined {
  const { amount, counting, burst } = possible(entered);
  const isPositive = (typed: string) => Number.isInteger(Number(typed)) && Number(typed) > 0;
  if (!isPositive(amount)) return "amount";
  return counting === "gcra" && !isPositive(burst) ? "burst" : undefined;
}

/**
 * Returns the limits to save, as entered. Throws a problem if one tests a value twice: the API's
 * form has room for only one of the tests, so it could not report the fault.
 */
export function writeLimits(
  limits: readonly LimitFields[],
  owner: Owner,
  pointer: string,
): Limit[] {
  for (const [index, { applies, conditions }] of limits.entries()) {
    const repeated = applies === "if" ? repeatedTest(conditions) : undefined;
    if (repeated === undefined) continue;
    throw Problem.atField(`${pointer}/${index}/if${repeated}`, text.limits.tests.repeated);
  }
  return limits.map((limit) => writeLimit(limit, owner));
}

/** Returns the limit as entered, even if invalid: the API reports the fault. */
export function writeLimit(entered: LimitFields, owner: Owner): Limit {
  const fields = possible(entered);
  const { name, metric, exceeding, applies, plans } = fields;
  const limit: Limit = { amount: Number(fields.amount) };
  if (name !== "") limit.name = name;
  if (metric !== "requests") limit.metric = metric;
  const per = perOf(fields, owner);
  if (per !== undefined) limit.per = per;
  if (metric !== "concurrent") {
    limit.window = writeWindow(fields);
    limit.algorithm = writeAlgorithm(fields);
  }
  if (exceeding === "soft") limit.soft = { overage_percent: Number(fields.overage) };
  if (exceeding === "observe") limit.on_exceeding = "observe";
  if (applies === "if") limit.if = writeCondition(fields.conditions);
  if (applies === "otherwise") limit.otherwise = true;
  if (owner === "operation" && plans.length > 0) limit.plans = [...plans];
  return limit;
}

/** Returns all dimensions, the owner's own among them: one as a word. */
function perOf({ per }: LimitFields, owner: Owner): NonNullable<Limit["per"]> | undefined {
  if (owner === "upstream") return undefined;
  const own = OWN_DIMENSION[owner];
  const all = DIMENSIONS.filter((it) => it === own || per.includes(it));
  const [one] = all;
  return all.length === 1 && one !== undefined ? one : all;
}

function writeAlgorithm(fields: LimitFields): NonNullable<Limit["algorithm"]> {
  const { counting, burst, zone, anchor } = fields;
  if (counting === "gcra") return { type: "gcra", burst: Number(burst) };
  if (counting === "rolling") return { type: "rolling" };
  if (!isCalendar(fields)) return { type: "fixed" };
  const zoned = zone === "" ? {} : { zone };
  return { type: "fixed", ...zoned, ...(anchor === "" ? {} : { anchor }) };
}
