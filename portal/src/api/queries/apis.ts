import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { queryClient } from "../query_client";
import { impactQuery } from "./impact";
import { OVERVIEW_KEY } from "./overview";

export type Api = components["schemas"]["Api"];
export type Kind = components["schemas"]["Kind"];
type ApiPatch = components["schemas"]["ApiPatch"];

const KEY = ["apis"];
export { KEY as APIS_KEY };

export const api = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id],
    queryFn: () => content(client.GET("/api/v1/apis/{api}", { params: { path: { api: id } } })),
  });

/** Invalidates queries after a change of an API, a version or a deployment. */
export async function apisChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: KEY }),
    queryClient.invalidateQueries({ queryKey: OVERVIEW_KEY }),
  ]);
}

/** Query for the impact of deleting an API. */
export const impactOfDeletion = (id: string) =>
  impactQuery(id, "delete", () => requestDeletion(id, true));

function requestDeletion(id: string, dryRun: boolean) {
  return client.DELETE("/api/v1/apis/{api}", {
    params: { path: { api: id }, query: { dry_run: dryRun } },
  });
}

export async function updateApi(id: string, body: ApiPatch): Promise<void> {
  await content(client.PATCH("/api/v1/apis/{api}", { params: { path: { api: id } }, body }));
  await apisChanged();
}

export async function deleteApi(id: string): Promise<void> {
  await content(requestDeletion(id, false));
  queryClient.removeQueries({ queryKey: [...KEY, id] });
  await apisChanged();
}
