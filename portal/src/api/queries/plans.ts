import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type Plan = components["schemas"]["Plan"];

/** The plans that versions can offer. */
export const plans = queryOptions({
  queryKey: ["plans"],
  queryFn: () => content(client.GET("/api/v1/plans", { params: { query: { limit: 100 } } })),
  select: ({ items }) => items.filter((plan) => !plan.anonymous),
});
