// What the portals know of the installation: where calls go, and which parts are there.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type Portal = components["schemas"]["Portal"];

export const portal = queryOptions({
  queryKey: ["portal"],
  queryFn: () => content(client.GET("/api/v1/portal")),
  // It changes with a restart only.
  staleTime: Infinity,
});
