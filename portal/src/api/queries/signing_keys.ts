// Keys that sign access tokens.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { thenRefetch } from "../query_client";

export type SigningKey = components["schemas"]["SigningKey"];
export type SigningAlgorithm = SigningKey["algorithm"];

const KEY = ["signing-keys"];

export const signingKeys = queryOptions({
  queryKey: KEY,
  queryFn: () => content(client.GET("/api/v1/signing-keys")),
});

/** Publishes the next key of an algorithm, which starts signing after 15 minutes. */
export async function turnSigningKey(algorithm: SigningAlgorithm): Promise<void> {
  const change = client.POST("/api/v1/signing-keys", { body: { algorithm } });
  await thenRefetch(content(change), KEY);
}

/** Revokes a key at once, which invalidates every token signed with it. */
export async function revokeSigningKey(id: string): Promise<void> {
  const params = { path: { signing_key: id } };
  const change = client.DELETE("/api/v1/signing-keys/{signing_key}", { params });
  await thenRefetch(content(change), KEY);
}
