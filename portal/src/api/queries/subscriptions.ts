import type { components } from "../schema";
import { client, content } from "../client";
import { thenRefetch } from "../query_client";
import { CATALOGUE_KEY } from "./catalogue";
import { impactQuery } from "./impact";
import { listing } from "./pages";

export type Subscription = components["schemas"]["Subscription"];
type WantedSubscription = components["schemas"]["WantedSubscription"];

const KEY = ["subscriptions"];
/** More than most applications have: the explanation of refusals reads only one page. */
const PAGE = 100;

export const subscriptionsOf = (application: string) =>
  listing(
    [...KEY, "of", application],
    (page) => {
      const query = { application, ...page };
      return content(client.GET("/api/v1/subscriptions", { params: { query } }));
    },
    PAGE,
  );

/** Refetches the catalogue too, which marks the user's subscriptions. */
const then = <T>(change: Promise<T>) => thenRefetch(change, KEY, CATALOGUE_KEY);

export function subscribe(subscription: WantedSubscription): Promise<Subscription> {
  return then(content(client.POST("/api/v1/subscriptions", { body: subscription })));
}

export async function changePlan(subscription: string, plan: string): Promise<void> {
  const params = { path: { subscription } };
  const body = { plan };
  await then(content(client.PATCH("/api/v1/subscriptions/{subscription}", { params, body })));
}

/** Requests a rejected subscription again. */
export async function requestAgain(subscription: string): Promise<void> {
  const params = { path: { subscription } };
  const body = { status: "pending" as const };
  await then(content(client.PATCH("/api/v1/subscriptions/{subscription}", { params, body })));
}

function requestEnd(subscription: string, dry_run: boolean) {
  const params = { path: { subscription }, query: { dry_run } };
  return client.DELETE("/api/v1/subscriptions/{subscription}", { params });
}

/** Query for the impact of ending a subscription. */
export const impactOfEnd = (subscription: string) =>
  impactQuery(subscription, "leave", () => requestEnd(subscription, true));

export async function unsubscribe(subscription: string): Promise<void> {
  await then(content(requestEnd(subscription, false)));
}
