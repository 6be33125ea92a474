import { expect, test } from "vitest";
import { type Limit, type Owner, limitInWords, limitsInWords, termsInWords } from "./limit";

const per = "subscription";
const hour: Limit = { per, amount: 1_000, window: "hour" };

const rows: [Limit, string, Owner?][] = [
  // Metrics.
  [{ per, amount: 1, window: "second" }, "At most 1 request a second for each subscription"],
  [{ ...hour, metric: "units" }, "At most 1,000 units an hour for each subscription"],
  [
    { per, metric: "bytes_in", amount: 2 ** 30, window: "day" },
    "At most 1 GiB of request bodies a day for each subscription",
  ],
  [
    { per, metric: "bytes_out", amount: 5_000_000, window: "month" },
    "At most 5 MB of response bodies a month for each subscription",
  ],
  [
    { per, metric: "bytes", amount: 1_025, window: "week" },
    "At most 1,025 bytes of request and response bodies a week for each subscription",
  ],
  [
    { per, metric: "concurrent", amount: 20 },
    "At most 20 requests at the same time for each subscription",
  ],
  // Dimensions.
  [{ ...hour, per: "application" }, "At most 1,000 requests an hour for each application"],
  [{ ...hour, per: "api" }, "At most 1,000 requests an hour for all callers of a version together"],
  [
    { ...hour, per: ["operation", "user"] },
    "At most 1,000 requests an hour for each operation and user",
  ],
  [{ ...hour, per: "address" }, "At most 1,000 requests an hour for each client address"],
  [
    { ...hour, per: "application" },
    "At most 1,000 requests an hour for the application",
    "application",
  ],
  [{ ...hour, per: "api" }, "At most 1,000 requests an hour for all callers together", "version"],
  [
    { ...hour, per: ["address", "operation"] },
    "At most 1,000 requests an hour for each client address",
    "operation",
  ],
  [
    { metric: "concurrent", amount: 50 },
    "At most 50 requests at the same time to the upstream",
    "upstream",
  ],
  // Windows and algorithms.
  [
    { ...hour, window: "5 minutes" },
    "At most 1,000 requests every 5 minutes for each subscription",
  ],
  [
    { per, amount: 5_000, window: "minute", algorithm: { type: "gcra", burst: 1_000 } },
    "At most 5,000 requests a minute for each subscription, 1,000 at once",
  ],
  [
    { ...hour, algorithm: { type: "rolling" } },
    "At most 1,000 requests in any hour for each subscription",
  ],
  [
    { ...hour, window: "month", algorithm: { type: "fixed", zone: "Asia/Tokyo" } },
    "At most 1,000 requests a month for each subscription (time zone Asia/Tokyo)",
  ],
  [
    {
      ...hour,
      window: "2 weeks",
      algorithm: { type: "fixed", anchor: "2026-01-31", zone: "Europe/Berlin" },
    },
    "At most 1,000 requests every 2 weeks for each subscription (counted from 2026-01-31, time zone Europe/Berlin)",
  ],
  // Beyond the amount.
  [
    { ...hour, soft: { overage_percent: 20 } },
    "At most 1,000 requests an hour for each subscription; up to 20% more is admitted and recorded",
  ],
  [
    { ...hour, on_exceeding: "observe" },
    "At most 1,000 requests an hour for each subscription; calls above it are recorded, not refused",
  ],
  // Conditions.
  [
    { ...hour, if: { addresses: ["10.0.0.0/8", "192.0.2.1"], environment: { not: ["sandbox"] } } },
    "At most 1,000 requests an hour for each subscription; only for calls from 10.0.0.0/8 or 192.0.2.1, not in sandbox",
  ],
  [
    { ...hour, if: { headers: { "x-tier": ["free*"] }, query: { trial: { not: ["0", "no"] } } } },
    "At most 1,000 requests an hour for each subscription; only for calls with header x-tier “free*”, without query parameter trial “0” or “no”",
  ],
  [
    {
      ...hour,
      if: { addresses: { not: Array.from({ length: 1_000 }, (_, at) => `10.0.0.${at}`) } },
    },
    "At most 1,000 requests an hour for each subscription; only for calls not from 10.0.0.0, 10.0.0.1, 10.0.0.2 or 997 others",
  ],
  [
    { ...hour, otherwise: true },
    "At most 1,000 requests an hour for each subscription; only for calls that no condition of the list matches",
  ],
  [
    { ...hour, per: "operation", plans: ["bronze", "silver"] },
    "At most 1,000 requests an hour for all callers together; only with the plans bronze or silver",
    "operation",
  ],
];

test.each(rows)("%j", (limit, sentence, owner) => {
  expect(limitInWords(limit, owner)).toBe(sentence);
});

test("terms are one sentence for each limit, and one for calls that fail", () => {
  expect(limitsInWords([hour, { ...hour, window: "day" }])).toBe(
    "At most 1,000 requests an hour for each subscription. At most 1,000 requests a day for each subscription.",
  );
  expect(termsInWords({ limits: [hour], count_failures: false })).toEqual([
    "At most 1,000 requests an hour for each subscription",
    "Calls that fail do not count",
  ]);
  expect(termsInWords({ limits: [] })).toEqual(["No limits"]);
});
