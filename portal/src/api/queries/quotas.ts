// What is left of limits.

import { queryOptions } from "@tanstack/react-query";
import type { components, operations } from "../schema";
import { client, content } from "../client";

export type Quota = components["schemas"]["UsageQuota"];

/** The limits of an application's subscriptions and its own, or those of a version. */
export type QuotasOf = NonNullable<operations["usage_quotas"]["parameters"]["query"]>;

/** Query for what is left of limits now, refetched often: short windows end soon. */
export function quotas(of: QuotasOf) {
  return queryOptions({
    queryKey: ["quotas", of],
    queryFn: () => content(client.GET("/api/v1/usage/quotas", { params: { query: of } })),
    refetchInterval: 15_000,
  });
}
