import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { queryClient } from "../query_client";

export type AccessToken = components["schemas"]["AccessToken"];

const KEY = ["access-tokens"];

export const accessTokens = queryOptions({
  queryKey: KEY,
  queryFn: () =>
    content(client.GET("/api/v1/access-tokens", { params: { query: { limit: 100 } } })),
});

export async function createAccessToken(name: string): Promise<AccessToken> {
  const made = await content(client.POST("/api/v1/access-tokens", { body: { name } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
  return made;
}

export async function revokeAccessToken(token: string): Promise<void> {
  await content(client.DELETE("/api/v1/access-tokens/{token}", { params: { path: { token } } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
}
