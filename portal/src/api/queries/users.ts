import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import type { Role } from "../session";
import { client, content } from "../client";
import { queryClient } from "../query_client";

export type User = components["schemas"]["User"];
export type UserPatch = components["schemas"]["UserPatch"];

/** What the list of users is asked for, as the address has it. */
export interface UsersSearch {
  q?: string;
  role?: Role;
  after?: string;
}

const KEY = ["users"];
const ROWS = 50;

export const users = (search: UsersSearch) =>
  queryOptions({
    queryKey: [...KEY, search],
    queryFn: () =>
      content(client.GET("/api/v1/users", { params: { query: { ...search, limit: ROWS } } })),
    placeholderData: keepPreviousData,
  });

/** Makes a user; the answer has the one-time password. */
export async function createUser(name: string, roles: Role[]): Promise<User> {
  const made = await content(client.POST("/api/v1/users", { body: { name, roles } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
  return made;
}

export async function updateUser(id: string, body: UserPatch): Promise<User> {
  try {
    return await content(
      client.PATCH("/api/v1/users/{user}", { params: { path: { user: id } }, body }),
    );
  } finally {
    await queryClient.invalidateQueries({ queryKey: KEY });
  }
}

export async function deleteUser(id: string): Promise<void> {
  await content(client.DELETE("/api/v1/users/{user}", { params: { path: { user: id } } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
}
