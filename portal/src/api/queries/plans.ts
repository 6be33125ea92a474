import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Searched, newestFirst, text } from "../../search_parameters";
import { client, content, tagged } from "../client";
import { thenRefetch } from "../query_client";
import { impactQuery, madeBy } from "./impact";
import { listing } from "./pages";

export type Plan = components["schemas"]["Plan"];
export type NewPlan = components["schemas"]["NewPlan"];

/** A plan with its entity tag for `If-Match`. */
export interface TaggedPlan {
  value: Plan;
  etag: string;
}

const KEY = ["plans"];

/** The plans that versions can offer. */
export const plans = queryOptions({
  queryKey: [...KEY, "offers"],
  queryFn: () => content(client.GET("/api/v1/plans", { params: { query: { limit: 100 } } })),
  select: ({ items }) => items.filter((plan) => !plan.anonymous),
});

/** Search parameters of the list of plans. */
export const PLANS_SEARCH = { q: text, sort: newestFirst };

export const planList = (search: Searched<typeof PLANS_SEARCH>) =>
  listing([...KEY, "list", search], (page) => {
    const query = { ...search, sort: search.sort ?? "name", ...page } as const;
    return content(client.GET("/api/v1/plans", { params: { query } }));
  });

export const plan = (id: string) =>
  queryOptions({
    queryKey: [...KEY, "one", id],
    queryFn: (): Promise<TaggedPlan> =>
      tagged(client.GET("/api/v1/plans/{plan}", { params: { path: { plan: id } } })),
  });

export function createPlan(body: NewPlan): Promise<Plan> {
  return thenRefetch(content(client.POST("/api/v1/plans", { body })), KEY);
}

/** Changes a plan; fails with 412 if it has changed since `etag`. */
export function updatePlan(id: string, etag: string, body: NewPlan): Promise<Plan> {
  const params = { path: { plan: id }, header: { "If-Match": etag } };
  return thenRefetch(madeBy(client.PUT("/api/v1/plans/{plan}", { params, body })), KEY);
}

/** Query for what a change of a plan affects; the same for every change. */
export const impactOfChange = ({ id, etag, ...saved }: Plan) =>
  impactQuery(id, "change", () =>
    client.PUT("/api/v1/plans/{plan}", {
      params: {
        path: { plan: id },
        query: { dry_run: true },
        header: { "If-Match": `"${etag}"` },
      },
      body: termsOf(saved),
    }),
  );

/** Returns the members of a plan that can be changed. */
function termsOf(plan: Omit<Plan, "id" | "etag">): NewPlan {
  const { name, title, description, limits, unlimited, count_failures } = plan;
  return { name, title, description, limits, unlimited, count_failures };
}

function requestDeletion(plan: string, dry_run: boolean) {
  const params = { path: { plan }, query: { dry_run } };
  return client.DELETE("/api/v1/plans/{plan}", { params });
}

/** Query for what the deletion of a plan affects; fails while the plan is in use. */
export const impactOfDeletion = (id: string) =>
  impactQuery(id, "delete", () => requestDeletion(id, true));

export async function deletePlan(id: string): Promise<void> {
  await thenRefetch(content(requestDeletion(id, false)), [...KEY, "list"], [...KEY, "offers"]);
}
