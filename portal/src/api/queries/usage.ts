// Figures of calls.

import { queryOptions } from "@tanstack/react-query";
import type { components, paths } from "../schema";
import { client, content } from "../client";

export type UsageReport = components["schemas"]["UsageReport"];
export type UsageRow = components["schemas"]["UsageRow"];
export type UsageQuestion = NonNullable<paths["/api/v1/usage"]["get"]["parameters"]["query"]>;

export const usage = (query: UsageQuestion) =>
  queryOptions({
    queryKey: ["usage", query],
    queryFn: () => content(client.GET("/api/v1/usage", { params: { query } })),
    // Records take some seconds to become figures.
    staleTime: 10_000,
  });
