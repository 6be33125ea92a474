import { queryOptions } from "@tanstack/react-query";
import type { paths } from "../schema";
import { client, content } from "../client";

type Answers = paths["/api/v1/status"]["get"]["responses"];
export type ProcessStatus = Answers[200]["content"]["application/json"];

const EVERY_MS = 5_000;

/** Process status, refetched every five seconds. */
export const processStatus = queryOptions({
  queryKey: ["status"],
  queryFn: () => content(client.GET("/api/v1/status")),
  refetchInterval: EVERY_MS,
});
