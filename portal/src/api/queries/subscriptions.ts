import type { components } from "../schema";
import { client, content } from "../client";
import { queryClient } from "../query_client";
import { CATALOGUE_KEY } from "./catalogue";
import { listing } from "./pages";

export type Subscription = components["schemas"]["Subscription"];
type WantedSubscription = components["schemas"]["WantedSubscription"];

const KEY = ["subscriptions"];
const PAGE = 100;

export const subscriptionsOf = (application: string) =>
  listing([...KEY, "of", application], (page) => {
    const query = { application, limit: PAGE, ...page };
    return content(client.GET("/api/v1/subscriptions", { params: { query } }));
  });

/** The catalogue marks what one is subscribed to. */
async function changed(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: KEY }),
    queryClient.invalidateQueries({ queryKey: CATALOGUE_KEY }),
  ]);
}

export async function subscribe(wanted: WantedSubscription): Promise<Subscription> {
  const made = await content(client.POST("/api/v1/subscriptions", { body: wanted }));
  await changed();
  return made;
}

export async function changePlan(subscription: string, plan: string): Promise<void> {
  const params = { path: { subscription } };
  const body = { plan };
  await content(client.PATCH("/api/v1/subscriptions/{subscription}", { params, body }));
  await changed();
}

export async function unsubscribe(subscription: string): Promise<void> {
  const params = { path: { subscription } };
  await content(client.DELETE("/api/v1/subscriptions/{subscription}", { params }));
  await changed();
}
