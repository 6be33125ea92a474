// The keys that access tokens are signed with.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { thenAskAgain } from "../query_client";

export type SigningKey = components["schemas"]["SigningKey"];
export type SigningAlgorithm = SigningKey["algorithm"];

const KEY = ["signing-keys"];

export const signingKeys = queryOptions({
  queryKey: KEY,
  queryFn: () => content(client.GET("/api/v1/signing-keys")),
});

/** Publishes the next key of an algorithm; it signs after a quarter of an hour. */
export async function turnSigningKey(algorithm: SigningAlgorithm): Promise<void> {
  const change = client.POST("/api/v1/signing-keys", { body: { algorithm } });
  await thenAskAgain(content(change), KEY);
}

/** Ends a key at once, and with it every token that it has signed. */
export async function revokeSigningKey(id: string): Promise<void> {
  const params = { path: { signing_key: id } };
  const change = client.DELETE("/api/v1/signing-keys/{signing_key}", { params });
  await thenAskAgain(content(change), KEY);
}
