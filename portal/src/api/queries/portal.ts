// Facts about the installation: gateway addresses and enabled parts.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type Portal = components["schemas"]["Portal"];

export const portal = queryOptions({
  queryKey: ["portal"],
  queryFn: () => content(client.GET("/api/v1/portal")),
  // Changes only with a restart.
  staleTime: Infinity,
});
