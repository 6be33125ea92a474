// Usage: sums of calls, grouped by dimensions.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components, operations } from "../schema";
import { client, content } from "../client";

export type UsageReport = components["schemas"]["UsageReport"];
export type UsageRow = components["schemas"]["UsageRow"];
export type UsageLoss = components["schemas"]["UsageLoss"];
export type UsageDimension = components["schemas"]["UsageDimension"];
export type UsageStep = components["schemas"]["UsageStep"];
type Query = NonNullable<operations["usage_show"]["parameters"]["query"]>;

/** The metrics that pages show; times are in microseconds. */
export type UsageMetric =
  | "calls"
  | "refused"
  | "error_rate"
  | "bytes_out"
  | "avg"
  | "max"
  | "p50"
  | "p95"
  | "p99"
  | "upstream_p95"
  | "cache_rate"
  | "bytes_from_cache";

/** Selects the calls to sum. */
export type UsageFilter = Pick<Query, "api" | "version" | "application" | "refusal" | "as">;

/** The groups that are first by a metric. */
interface First {
  /** Their number, at most 100. */
  groups: number;
  by: UsageMetric;
}

interface UsageRequest {
  filter: UsageFilter;
  groupBy?: readonly UsageDimension[];
  /** Time step of the rows; if absent, the range is one sum. */
  step?: UsageStep;
  /** Time zone of the steps. */
  zone?: string;
  metrics?: readonly UsageMetric[];
  /** If absent, all groups. */
  first?: First;
  /** Also returns the same figures of an earlier range. */
  compare?: "week";
  /** Length of the range, which ends now. */
  seconds: number;
}

/** Query for the usage of the last `seconds`, refetched every minute. */
export function usage({ seconds, ...request }: UsageRequest) {
  return queryOptions({
    queryKey: ["usage", request, seconds],
    queryFn: () => {
      const from = new Date(Date.now() - seconds * 1_000).toISOString();
      const query = { ...parametersOf(request), from };
      return content(client.GET("/api/v1/usage", { params: { query } }));
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

function parametersOf(request: Omit<UsageRequest, "seconds">): Query {
  const { filter, groupBy, metrics, first, ...rest } = request;
  return {
    ...filter,
    ...rest,
    ...(groupBy && { group_by: groupBy.join(",") }),
    ...(metrics && { metrics: metrics.join(",") }),
    ...(first && { top: String(first.groups), order_by: first.by }),
  };
}
