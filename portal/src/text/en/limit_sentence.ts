// The parts of the sentence of a limit, which `text/limit.ts` puts together.

/** Joins values with `or`: a, b or c. */
const anyOf = (values: readonly string[]) =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(values);

const quoted = (values: readonly string[]) => anyOf(values.map((it) => `“${it}”`));

const plural = (amount: string, one: string, many: string) =>
  `${amount} ${amount === "1" ? one : many}`;

export const limitSentence = {
  atMost: (what: string) => `At most ${what}`,
  amounts: {
    requests: (amount: string) => plural(amount, "request", "requests"),
    units: (amount: string) => plural(amount, "unit", "units"),
    bytes_in: (amount: string) => `${amount} of request bodies`,
    bytes_out: (amount: string) => `${amount} of response bodies`,
    bytes: (amount: string) => `${amount} of request and response bodies`,
    concurrent: (amount: string) => `${plural(amount, "request", "requests")} at the same time`,
  },
  /** Windows of one unit, those of several, and those that end now. */
  windows: {
    second: "a second",
    minute: "a minute",
    hour: "an hour",
    day: "a day",
    week: "a week",
    month: "a month",
    year: "a year",
  },
  every: (window: string) => `every ${window}`,
  rolling: (window: string) => `in any ${window}`,
  per: {
    subscription: "for each subscription",
    application: "for each application",
    api: "for all callers of a version together",
    operation: "for all callers of an operation together",
    user: "for each user",
    address: "for each client address",
  },
  /** Used in pairs: `for each subscription and operation`. */
  dimensions: {
    subscription: "subscription",
    application: "application",
    api: "version",
    operation: "operation",
    user: "user",
    address: "client address",
  },
  pair: (one: string, other: string) => `for each ${one} and ${other}`,
  /** Limits that something other than a plan has of its own, without a further dimension. */
  own: {
    application: "for the application",
    version: "for all callers together",
    operation: "for all callers together",
    upstream: "to the upstream",
  },
  burst: (amount: string) => `, ${amount} at once`,
  zone: (zone: string) => `time zone ${zone}`,
  anchor: (date: string) => `counted from ${date}`,
  soft: (share: string) => `up to ${share} more is admitted and recorded`,
  observed: "calls above it are recorded, not refused",
  only: (which: string) => `only for calls ${which}`,
  otherwise: "that no condition of the list matches",
  ifCalled: (how: string) => `If called ${how}`,
  ifOtherwise: "If no condition matches",
  addresses: (values: readonly string[]) => `from ${anyOf(values)}`,
  notAddresses: (values: readonly string[]) => `not from ${anyOf(values)}`,
  environment: (values: readonly string[]) => `in ${anyOf(values)}`,
  notEnvironment: (values: readonly string[]) => `not in ${anyOf(values)}`,
  header: (name: string, values: readonly string[]) => `with header ${name} ${quoted(values)}`,
  notHeader: (name: string, values: readonly string[]) =>
    `without header ${name} ${quoted(values)}`,
  query: (name: string, values: readonly string[]) =>
    `with query parameter ${name} ${quoted(values)}`,
  notQuery: (name: string, values: readonly string[]) =>
    `without query parameter ${name} ${quoted(values)}`,
  others: (n: string) => `${n} others`,
  plans: (names: readonly string[]) =>
    `only with the ${names.length === 1 ? "plan" : "plans"} ${anyOf(names)}`,
  unlimited: "No limits",
  failures: "Calls that fail do not count",
};
