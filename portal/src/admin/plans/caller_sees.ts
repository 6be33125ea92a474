// What the caller of a plan sees in an answer: the fields `RateLimit-Policy` and `RateLimit` of the
// first call (draft-ietf-httpapi-ratelimit-headers), and the refusal of a call beyond a limit. The
// names and policies are those of the gateway, which docs/reference/limits.md lists.

import { type Limit, type Metric, dimensionsOf, whenInWords } from "../../text/limit";

export interface Seen {
  /** What every call sees; absent if no limit applies to every call. */
  always: Fields | undefined;
  /** Policies that only some calls see, each with its condition in words. */
  sometimes: readonly (readonly [when: string, policy: string])[];
}

export interface Fields {
  policy: string;
  left: string;
  /** Of the limit that is used up first, one of requests if there is any. */
  refusal: { code: string; retryAfterS: number };
}

const SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_629_746,
  year: 31_556_952,
};

/** The unit of a quota, where it is not requests. */
const UNITS: Readonly<Record<string, string>> = {
  units: "units",
  bytes_in: "content-bytes",
  bytes_out: "content-bytes",
  bytes: "content-bytes",
  concurrent: "concurrent-requests",
};

/** The word for how a limit counts, in its name. */
const KINDS = { fixed: [], gcra: ["burst"], rolling: ["rolling"] };

export function callerSees(limits: readonly Limit[]): Seen {
  const shown = limits.filter((it) => it.on_exceeding !== "observe");
  const isConditional = (limit: Limit) => Boolean(limit.if) || limit.otherwise === true;
  return {
    always: fieldsOf(shown.filter((limit) => !isConditional(limit))),
    sometimes: shown.filter(isConditional).map((it) => [whenInWords(it), policyOf(it)]),
  };
}

function fieldsOf(shown: readonly Limit[]): Fields | undefined {
  const byRoom = shown.toSorted((one, other) => roomOf(one) - roomOf(other));
  const leastOf = (metric: Metric) => byRoom.find((limit) => metricOf(limit) === metric);
  const strictest = leastOf("requests") ?? byRoom[0];
  if (strictest === undefined) return undefined;
  const leasts = [...new Set(shown.map(metricOf))].flatMap((metric) => leastOf(metric) ?? []);
  const names = namesOf(shown);
  return {
    policy: shown.map((limit) => policyOf(limit, names.get(limit))).join(", "),
    left: leasts.map((limit) => leftOf(limit, names.get(limit))).join(", "),
    refusal: { code: codeOf(strictest), retryAfterS: resetOf(strictest) ?? 1 },
  };
}

const metricOf = ({ metric = "requests" }: Limit): Metric => metric;

/** Returns the length of a window in seconds; months and years have their mean length. */
function windowOf({ window }: Limit): number | undefined {
  const [, number = "1", unit = ""] = /^(?:(\d+) )?([a-z]+?)s?$/.exec(window ?? "") ?? [];
  const seconds = SECONDS[unit];
  return seconds === undefined ? undefined : Number(number) * seconds;
}

function nameOf(limit: Limit): string {
  if (limit.name) return limit.name;
  const { metric = "requests", algorithm, window } = limit;
  const parts = [
    ...dimensionsOf(limit),
    ...(metric === "requests" ? [] : [metric.replace("_", "-")]),
    ...(metric !== "concurrent" && algorithm ? KINDS[algorithm.type] : []),
    ...(window ? [window.replace(" ", "-")] : []),
  ];
  return parts.join("-");
}

/** Returns the names of limits. Of several with one name, all but the first are numbered. */
function namesOf(limits: readonly Limit[]): Map<Limit, string> {
  const seen = new Map<string, number>();
  const names = limits.map((limit): [Limit, string] => {
    const name = nameOf(limit);
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return [limit, number === 1 ? name : `${name}#${number}`];
  });
  return new Map(names);
}

/** Returns the member of `RateLimit-Policy`. */
export function policyOf(limit: Limit, name = nameOf(limit)): string {
  const [unit, window] = [UNITS[metricOf(limit)], windowOf(limit)];
  const parameters = [
    `q=${limit.amount}`,
    ...(unit === undefined ? [] : [`qu="${unit}"`]),
    ...(window === undefined ? [] : [`w=${window}`]),
  ];
  return [`"${name}"`, ...parameters].join(";");
}

/** Returns what is left before the first call: of an even limit its burst. */
function roomOf({ amount, algorithm }: Limit): number {
  return algorithm?.type === "gcra" ? algorithm.burst : amount;
}

/** Returns the seconds after which a limit that is used up, or used once, admits more. */
function resetOf(limit: Limit): number | undefined {
  const window = windowOf(limit);
  const isEven = limit.algorithm?.type === "gcra";
  return window !== undefined && isEven ? Math.ceil(window / limit.amount) : window;
}

function leftOf(limit: Limit, name = nameOf(limit)): string {
  // Bytes are charged when a call ends.
  const left = limit.metric?.startsWith("bytes") ? limit.amount : roomOf(limit) - 1;
  const reset = resetOf(limit);
  return [`"${name}"`, `r=${left}`, ...(reset ? [`t=${reset}`] : [])].join(";");
}

/** Returns the code of the narrowest dimension. */
function codeOf(limit: Limit): string {
  const dimensions = dimensionsOf(limit);
  if (dimensions.some((it) => it === "user" || it === "address")) return "admit.rule";
  const narrowest = NARROWEST.find((it) => dimensions.includes(it)) ?? "api";
  const hasBurst = narrowest === "subscription" || narrowest === "application";
  return `admit.${narrowest}${hasBurst && limit.algorithm?.type === "gcra" ? "_burst" : ""}`;
}

const NARROWEST = ["subscription", "application", "operation", "api"] as const;
