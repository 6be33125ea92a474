import type { components } from "../schema";
import { type Searched, newestFirst, oneOf, text } from "../../search_parameters";
import type { Role } from "../session";
import { client, content } from "../client";
import { thenRefetch } from "../query_client";
import { impactQuery, madeBy } from "./impact";
import { listing } from "./pages";

export type User = components["schemas"]["User"];
export type UserPatch = components["schemas"]["UserPatch"];

export const ROLES: readonly Role[] = ["developer", "publisher", "administrator"];

/** Search parameters of the list of users. */
export const USERS_SEARCH = { q: text, role: oneOf(...ROLES), sort: newestFirst };
type UsersSearch = Searched<typeof USERS_SEARCH>;

const KEY = ["users"];

export const users = (search: UsersSearch) =>
  listing([...KEY, search], (page) => {
    const query = { ...search, sort: search.sort ?? "name", ...page } as const;
    return content(client.GET("/api/v1/users", { params: { query } }));
  });

/** Creates a user; the response includes the one-time password. */
export function createUser(name: string, roles: Role[]): Promise<User> {
  const change = client.POST("/api/v1/users", { body: { name, roles } });
  return thenRefetch(content(change), KEY);
}

export function updateUser(id: string, body: UserPatch): Promise<User> {
  const params = { path: { user: id } };
  const change = client.PATCH("/api/v1/users/{user}", { params, body });
  return thenRefetch(madeBy(change), KEY);
}

/** Query for the impact of disabling a user and suspending the credentials. */
export const impactOfDisabling = (id: string) =>
  impactQuery(id, "disable", () =>
    client.PATCH("/api/v1/users/{user}", {
      params: { path: { user: id }, query: { dry_run: true } },
      body: { disabled: true, credentials: "suspend" },
    }),
  );

function requestDeletion(user: string, dry_run: boolean) {
  const params = { path: { user }, query: { dry_run } };
  return client.DELETE("/api/v1/users/{user}", { params });
}

/** Query for the impact of deleting a user, which fails while the user owns something. */
export const impactOfDeletion = (id: string) =>
  impactQuery(id, "delete", () => requestDeletion(id, true));

export async function deleteUser(id: string): Promise<void> {
  await thenRefetch(content(requestDeletion(id, false)), KEY);
}
