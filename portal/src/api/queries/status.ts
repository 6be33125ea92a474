import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type ProcessStatus = components["schemas"]["Status"];

const EVERY_MS = 5_000;

/** How the process is, asked again every five seconds. */
export const processStatus = queryOptions({
  queryKey: ["status"],
  queryFn: () => content(client.GET("/api/v1/status")),
  refetchInterval: EVERY_MS,
});
