import type { components } from "../schema";
import { client, content } from "../client";
import { queryClient } from "../query_client";
import { listing } from "./pages";

export type AccessToken = components["schemas"]["AccessToken"];

const KEY = ["access-tokens"];
const PAGE = 50;

export const accessTokens = listing(KEY, (page) =>
  content(client.GET("/api/v1/access-tokens", { params: { query: { limit: PAGE, ...page } } })),
);

export async function createAccessToken(name: string): Promise<AccessToken> {
  const made = await content(client.POST("/api/v1/access-tokens", { body: { name } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
  return made;
}

export async function revokeAccessToken(token: string): Promise<void> {
  await content(client.DELETE("/api/v1/access-tokens/{token}", { params: { path: { token } } }));
  await queryClient.invalidateQueries({ queryKey: KEY });
}
