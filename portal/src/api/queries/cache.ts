// The cache of responses of a version at the gateways.

import type { components } from "../schema";
import { client, content } from "../client";

export type Cache = components["schemas"]["Cache"];
export type Share = components["schemas"]["Share"];
export type CacheSelector = Required<components["schemas"]["CacheSelector"]>;

/** Purges stored responses: those that a list names, or all if the lists are empty. */
export const purgeCache = (version: string, selector: CacheSelector) =>
  content(
    client.POST("/api/v1/versions/{version}/cache/purge", {
      params: { path: { version } },
      body: selector,
    }),
  );
