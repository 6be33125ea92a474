// The lifecycle of a version: entering another state, deprecation, deletion.

import type { components } from "../schema";
import { client, content } from "../client";
import { queryClient, thenRefetch } from "../query_client";
import { APIS_KEY, apisChanged } from "./apis";
import { CATALOGUE_KEY } from "./catalogue";
import { impactQuery } from "./impact";
import { OVERVIEW_KEY } from "./overview";
import { SUBSCRIPTIONS_KEY } from "./subscribers";
import { VERSIONS_KEY, version } from "./versions";

export type Move = components["schemas"]["Move"];
export type Deprecation = components["schemas"]["Deprecation"];
export type DeprecationPatch = components["schemas"]["DeprecationPatch"];

const path = (version: string) => ({ path: { version } });

/** Refetches what a step may change: several versions, and their subscriptions. */
const then = (change: Promise<unknown>) =>
  thenRefetch(change, VERSIONS_KEY, APIS_KEY, OVERVIEW_KEY, CATALOGUE_KEY, SUBSCRIPTIONS_KEY);

/** The members of a step that its dry run needs. */
export type TriedMove = Pick<Move, "to" | "default" | "subscriptions" | "from" | "without_tokens">;

/** Query for the impact of a state change; fails if something is missing for it. */
export const impactOfMove = (id: string, body: TriedMove) =>
  impactQuery(id, JSON.stringify(body), () =>
    client.POST("/api/v1/versions/{version}/lifecycle", {
      params: { ...path(id), query: { dry_run: true } },
      body,
    }),
  );

export async function moveVersion(id: string, body: Move): Promise<void> {
  const params = path(id);
  await then(content(client.POST("/api/v1/versions/{version}/lifecycle", { params, body })));
}

export async function changeDeprecation(id: string, body: DeprecationPatch): Promise<void> {
  const params = path(id);
  await then(content(client.PATCH("/api/v1/versions/{version}/deprecation", { params, body })));
}

/** The default version after a deletion: `null` for none, undefined if it stays. */
type NextDefault = string | null | undefined;

function requestDeletion(id: string, next: NextDefault, dry_run: boolean) {
  const named = next === undefined ? {} : { default: next ?? "null" };
  const params = { ...path(id), query: { dry_run, ...named } };
  return client.DELETE("/api/v1/versions/{version}", { params });
}

/** Query for the impact of deleting a version. */
export const impactOfVersionDeletion = (id: string, next: NextDefault) =>
  impactQuery(id, `delete ${next}`, () => requestDeletion(id, next, true));

export async function deleteVersion(id: string, next: NextDefault): Promise<void> {
  await content(requestDeletion(id, next, false));
  queryClient.removeQueries(version(id));
  await apisChanged();
}
