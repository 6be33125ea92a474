// Usage: sums of calls, grouped by dimensions.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components, operations } from "../schema";
import { client, content } from "../client";

export type UsageReport = components["schemas"]["UsageReport"];
export type UsageRow = components["schemas"]["UsageRow"];
export type UsageDimension = components["schemas"]["UsageDimension"];
export type UsageStep = components["schemas"]["UsageStep"];
type Query = NonNullable<operations["usage_show"]["parameters"]["query"]>;

/** Selects the calls to sum. */
export type UsageFilter = Pick<Query, "api" | "version" | "application">;

interface UsageRequest {
  filter: UsageFilter;
  groupBy: readonly UsageDimension[];
  /** Time step of the rows; if absent, the range is one sum. */
  step?: UsageStep;
  /** Length of the range, which ends now. */
  seconds: number;
}

/** Query for the usage of the last `seconds`, refetched every minute. */
export function usage({ filter, groupBy, step, seconds }: UsageRequest) {
  return queryOptions({
    queryKey: ["usage", filter, groupBy, step, seconds],
    queryFn: () => {
      const from = new Date(Date.now() - seconds * 1_000).toISOString();
      const group_by = groupBy.join(",");
      const query = { ...filter, from, group_by, ...(step && { step }) };
      return content(client.GET("/api/v1/usage", { params: { query } }));
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}
