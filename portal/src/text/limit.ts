// Writes limits as sentences, for every page that shows one.

import type { components } from "../api/schema";
import { count, share } from "./format";
import { text } from "./text";

export type Limit = components["schemas"]["Limit"];
export type Metric = components["schemas"]["LimitMetric"];
type Test = components["schemas"]["LimitTest"];

/** What limits belong to. */
export type Owner = "plan" | "application" | "version" | "operation" | "upstream";

export const DIMENSIONS = [
  "subscription",
  "application",
  "api",
  "operation",
  "user",
  "address",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The dimension that all limits of an owner have. */
export const OWN_DIMENSION: Readonly<Record<Owner, Dimension | undefined>> = {
  plan: undefined,
  application: "application",
  version: "api",
  operation: "operation",
  upstream: undefined,
};

/** Entries of a list that a sentence names. */
const NAMED_MAX = 3;

const words = text.limitSentence;

/** Returns the dimensions of a limit, in the order of the API. */
export function dimensionsOf({ per = [] }: Pick<Limit, "per">): readonly Dimension[] {
  return typeof per === "string" ? [per] : DIMENSIONS.filter((it) => per.includes(it));
}

/** Writes a limit as a sentence, without its full stop. */
export function limitInWords(limit: Limit, owner: Owner = "plan"): string {
  const { algorithm } = limit;
  const metric = limit.metric ?? "requests";
  const amount = words.amounts[metric](amountInWords(limit.amount, metric));
  const main = [words.atMost(amount), windowOf(limit), perOf(limit, owner)];
  const burst = algorithm?.type === "gcra" ? words.burst(count(algorithm.burst)) : "";
  const calendar = calendarOf(limit);
  const first = `${main.filter((it) => it !== "").join(" ")}${burst}`;
  return [calendar === "" ? first : `${first} (${calendar})`, ...detailsOf(limit)].join("; ");
}

/** Writes limits as sentences, one after the other. */
export function limitsInWords(limits: readonly Limit[], owner: Owner = "plan"): string {
  return limits.map((limit) => `${limitInWords(limit, owner)}.`).join(" ");
}

interface Terms {
  limits: readonly Limit[];
  count_failures?: boolean;
}

/** Writes the terms of a plan as sentences without full stops. */
export function termsInWords({ limits, count_failures = true }: Terms): readonly string[] {
  if (limits.length === 0) return [words.unlimited];
  const sentences = limits.map((limit) => limitInWords(limit));
  return count_failures ? sentences : [...sentences, words.failures];
}

const BYTES: readonly (readonly [string, number])[] = [
  ["TiB", 2 ** 40],
  ["TB", 10 ** 12],
  ["GiB", 2 ** 30],
  ["GB", 10 ** 9],
  ["MiB", 2 ** 20],
  ["MB", 10 ** 6],
  ["KiB", 2 ** 10],
  ["kB", 10 ** 3],
];

/** Formats an amount exactly: bytes in the largest unit that divides them. */
function amountInWords(amount: number, metric: Metric): string {
  if (!metric.startsWith("bytes")) return count(amount);
  const [unit, bytes] = BYTES.find(([, bytes]) => amount % bytes === 0) ?? ["bytes", 1];
  return `${count(amount / bytes)} ${unit}`;
}

/** Formats a window: `a minute`, `every 5 minutes`, or `in any hour` for one that ends now. */
function windowOf({ window, algorithm }: Limit): string {
  if (!window) return "";
  if (algorithm?.type === "rolling") return words.rolling(window);
  const units: Readonly<Record<string, string>> = words.windows;
  return units[window] ?? words.every(window);
}

function perOf(limit: Limit, owner: Owner): string {
  const own = OWN_DIMENSION[owner];
  const [one, other] = dimensionsOf(limit).filter((it) => it !== own);
  if (one === undefined) return owner === "plan" ? "" : words.own[owner];
  if (other === undefined) return words.per[one];
  return words.pair(words.dimensions[one], words.dimensions[other]);
}

function calendarOf({ algorithm }: Limit): string {
  if (algorithm?.type !== "fixed") return "";
  const { anchor, zone } = algorithm;
  return [anchor ? words.anchor(anchor) : "", zone ? words.zone(zone) : ""]
    .filter((it) => it !== "")
    .join(", ");
}

function detailsOf(limit: Limit): string[] {
  const { soft, on_exceeding, if: condition, otherwise, plans } = limit;
  const details: string[] = [];
  if (soft) details.push(words.soft(share(soft.overage_percent / 100)));
  if (on_exceeding === "observe") details.push(words.observed);
  if (condition) details.push(words.only(conditionOf(condition)));
  if (otherwise) details.push(words.only(words.otherwise));
  if (plans && plans.length > 0) details.push(words.plans(shortened(plans)));
  return details;
}

function conditionOf(condition: components["schemas"]["LimitCondition"]): string {
  const { addresses, environment, headers = {}, query = {} } = condition;
  const tests: string[] = [];
  if (addresses) tests.push(tested(addresses, words.addresses, words.notAddresses));
  if (environment) tests.push(tested(environment, words.environment, words.notEnvironment));
  for (const [name, test] of Object.entries(headers)) {
    tests.push(
      tested(
        test,
        (values) => words.header(name, values),
        (values) => words.notHeader(name, values),
      ),
    );
  }
  for (const [name, test] of Object.entries(query)) {
    tests.push(
      tested(
        test,
        (values) => words.query(name, values),
        (values) => words.notQuery(name, values),
      ),
    );
  }
  return tests.join(", ");
}

type InWords = (values: readonly string[]) => string;

function tested(test: Test, isIn: InWords, isNot: InWords): string {
  return Array.isArray(test) ? isIn(shortened(test)) : isNot(shortened(test.not));
}

/** Writes when a limit with a condition applies: `If called in sandbox`. */
export function whenInWords({ if: condition }: Limit): string {
  return condition ? words.ifCalled(conditionOf(condition)) : words.ifOtherwise;
}

/** Returns the first entries, and how many others there are. */
function shortened(values: readonly string[]): readonly string[] {
  if (values.length <= NAMED_MAX + 1) return values;
  return [...values.slice(0, NAMED_MAX), words.others(count(values.length - NAMED_MAX))];
}
