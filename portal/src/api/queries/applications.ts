import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Searched, newestFirst, text } from "../../search_parameters";
import { client, content } from "../client";
import { impactQuery } from "./impact";
import { thenRefetch } from "../query_client";
import { currentSession } from "../session";
import { listing } from "./pages";

export type Application = components["schemas"]["Application"];
type NewApplication = components["schemas"]["NewApplication"];
type ApplicationPatch = components["schemas"]["ApplicationPatch"];

const KEY = ["applications"];
/** Maximum number of applications offered as choices. */
const CHOICES_MAX = 500;

/** Filter for the user's own applications; an administrator can see those of others too. */
const own = () => {
  const owner = currentSession()?.user;
  return owner === undefined ? {} : { owner };
};

/** Search parameters of the list. */
export const APPLICATIONS_SEARCH = { q: text, sort: newestFirst };

export const applications = (search: Searched<typeof APPLICATIONS_SEARCH>) =>
  listing([...KEY, "list", search], (page) => {
    const query = { ...own(), ...search, sort: search.sort ?? "name", ...page } as const;
    return content(client.GET("/api/v1/applications", { params: { query } }));
  });

/** The applications of all users, for administrators. */
export const allApplications = (search: Searched<typeof APPLICATIONS_SEARCH>) =>
  listing([...KEY, "list", "all", search], (page) => {
    const query = { ...search, sort: search.sort ?? "name", ...page } as const;
    return content(client.GET("/api/v1/applications", { params: { query } }));
  });

/** The user's applications, as choices. */
export const applicationChoices = queryOptions({
  queryKey: [...KEY, "choices"],
  queryFn: async () => {
    const query = { ...own(), sort: "name" as const, limit: CHOICES_MAX };
    return (await content(client.GET("/api/v1/applications", { params: { query } }))).items;
  },
});

export const application = (id: string) =>
  queryOptions({
    queryKey: [...KEY, "one", id],
    queryFn: () =>
      content(
        client.GET("/api/v1/applications/{application}", { params: { path: { application: id } } }),
      ),
  });

/** The retired versions that an application was subscribed to until they retired. */
export const retiredVersions = (id: string) =>
  queryOptions({
    queryKey: [...KEY, "retired", id],
    queryFn: () =>
      content(
        client.GET("/api/v1/applications/{application}/retired-versions", {
          params: { path: { application: id } },
        }),
      ),
  });

export function createApplication(application: NewApplication): Promise<Application> {
  return thenRefetch(content(client.POST("/api/v1/applications", { body: application })), KEY);
}

export async function changeApplication(id: string, patch: ApplicationPatch): Promise<void> {
  const params = { path: { application: id } };
  const change = client.PATCH("/api/v1/applications/{application}", { params, body: patch });
  await thenRefetch(content(change), KEY);
}

/** Query for the impact of deleting an application. */
export const impactOfDeletion = (id: string) =>
  impactQuery(id, "delete", () => requestDeletion(id, true));

function requestDeletion(id: string, dryRun: boolean) {
  const params = { path: { application: id }, query: { dry_run: dryRun } };
  return client.DELETE("/api/v1/applications/{application}", { params });
}

/** Deletes an application, with its subscriptions and credentials. */
export async function deleteApplication(id: string): Promise<void> {
  await thenRefetch(content(requestDeletion(id, false)), [...KEY, "list"], [...KEY, "choices"]);
}

/** Invalidates all issued tokens of an application's clients. */
export async function voidApplicationTokens(id: string): Promise<void> {
  const params = { path: { application: id } };
  await content(client.DELETE("/api/v1/applications/{application}/tokens", { params }));
}
