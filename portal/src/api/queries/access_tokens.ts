import type { components } from "../schema";
import { client, content } from "../client";
import { thenRefetch } from "../query_client";
import { listing } from "./pages";

export type AccessToken = components["schemas"]["AccessToken"];

const KEY = ["access-tokens"];

export const accessTokens = listing(KEY, (page) =>
  content(client.GET("/api/v1/access-tokens", { params: { query: page } })),
);

export function createAccessToken(name: string): Promise<AccessToken> {
  return thenRefetch(content(client.POST("/api/v1/access-tokens", { body: { name } })), KEY);
}

export async function revokeAccessToken(token: string): Promise<void> {
  const params = { path: { token } };
  await thenRefetch(content(client.DELETE("/api/v1/access-tokens/{token}", { params })), KEY);
}
