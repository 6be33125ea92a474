import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";

export type UsageRow = components["schemas"]["UsageRow"];
export type UsageReport = components["schemas"]["UsageReport"];

/** A range of time that ends now. */
export type Range = "1h" | "24h" | "7d" | "30d";

export const RANGES: readonly Range[] = ["1h", "24h", "7d", "30d"];

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Range, number> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 168 * HOUR_MS,
  "30d": 720 * HOUR_MS,
};

/** Figures of a version, told apart by the dimensions that `groupBy` names. */
export const usageOfVersion = (version: string, range: Range, groupBy: string) =>
  queryOptions({
    queryKey: ["usage", "version", version, range, groupBy],
    queryFn: () => {
      const from = new Date(Date.now() - LENGTH_MS[range]).toISOString();
      const query = { version, from, group_by: groupBy };
      return content(client.GET("/api/v1/usage", { params: { query } }));
    },
    refetchInterval: 30_000,
  });
