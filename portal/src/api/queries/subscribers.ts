// Subscriptions to the publisher's versions, and decisions on them.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Searched, oneOf, text } from "../../search_parameters";
import { client, content } from "../client";
import { thenRefetch } from "../query_client";
import { listing } from "./pages";

export type Subscription = components["schemas"]["Subscription"];
export type Status = components["schemas"]["SubscriptionStatus"];

export const STATUSES: readonly Status[] = [
  "pending",
  "active",
  "blocked",
  "blocked_production",
  "rejected",
];

/** Search parameters of a list of subscriptions. */
export const SUBSCRIBERS_SEARCH = { q: text, status: oneOf(...STATUSES) };
export type SubscribersSearch = Searched<typeof SUBSCRIBERS_SEARCH>;

const KEY = ["subscriptions"];
export { KEY as SUBSCRIPTIONS_KEY };

export const subscribers = (version: string, search: SubscribersSearch) =>
  listing([...KEY, "to", version, search], (page) => {
    const query = { ...search, ...page, version };
    return content(client.GET("/api/v1/subscriptions", { params: { query } }));
  });

/** Query for all subscriptions to a version, up to the limit of a file. */
export const allSubscribers = (version: string) =>
  queryOptions({
    queryKey: [...KEY, "to", version, "all"],
    queryFn: () => subscribers(version, {}).all(),
  });

type Patch = components["schemas"]["SubscriptionPatch"];

/** Grants these scopes by approval, and revokes all others. */
export async function grantScopes(id: string, body: string[]): Promise<void> {
  const params = { path: { subscription: id } };
  const change = client.PUT("/api/v1/subscriptions/{subscription}/scopes", { params, body });
  await thenRefetch(content(change), KEY);
}

/** Approves, rejects, blocks or unblocks a subscription. */
export async function decideSubscription(id: string, body: Patch): Promise<void> {
  const params = { path: { subscription: id } };
  const change = client.PATCH("/api/v1/subscriptions/{subscription}", { params, body });
  await thenRefetch(content(change), KEY);
}
