// A usage row of no calls, for tests.

import type { UsageRow } from "../api/queries/usage";

export const noCalls: UsageRow = {
  calls: 0,
  client_errors: 0,
  server_errors: 0,
  refused: 0,
  cut: 0,
  mismatched: 0,
  over: 0,
  cache_answered: 0,
  cache_missed: 0,
  bytes_in: 0,
  bytes_out: 0,
  bytes_from_cache: 0,
  upstream_calls: 0,
  total_us_sum: 0,
  total_us_max: 0,
  upstream_us_sum: 0,
  upstream_us_max: 0,
  gateway_us_sum: 0,
  gateway_us_max: 0,
  mediate_us_sum: 0,
  answered: { upstream: 0, policy: 0, mock: 0, preflight: 0, gateway: 0 },
  cache_rate: null,
};
