// The first call with what was just made: as lines of curl that run when pasted, and as the request that
// the page sends.

import type { CatalogueEntry } from "../../api/queries/catalogue";
import type { CallRequest, Header } from "../../reference/call";
import { DEFAULT_KEY_HEADER } from "../version/SecurityInWords";
import type { ExampleCall } from "./example_operation";
import type { Obtained } from "./obtain";

/** What is asked of the gateway, without the token that it may need. */
export type FirstCall = CallRequest;

/** How a client gets its token. */
export interface TokenRequest {
  url: string;
  clientId: string;
  clientSecret: string;
}

export function firstCall(
  entry: CatalogueEntry,
  obtained: Obtained,
  { method, target, body }: ExampleCall,
): FirstCall {
  const headers: Header[] = [];
  const { key, basicUser } = obtained;
  if (key?.key) headers.push([entry.security.api_key?.header ?? DEFAULT_KEY_HEADER, key.key]);
  if (basicUser?.password) {
    headers.push(["Authorization", basic(basicUser.user_name, basicUser.password)]);
  }
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  return { method, url: entry.address + target, headers, body };
}

export function tokenRequest(
  { client }: Obtained,
  tokenUrl: string | undefined,
): TokenRequest | undefined {
  if (!client?.client_secret || tokenUrl === undefined) return undefined;
  return { url: tokenUrl, clientId: client.id, clientSecret: client.client_secret };
}

/** Name and password as HTTP Basic has them (RFC 7617). What is made here is ASCII. */
export const basic = (name: string, password: string) => `Basic ${btoa(`${name}:${password}`)}`;

/** Lines for a POSIX shell. */
export function asCurl(call: FirstCall, token: TokenRequest | undefined): string {
  const words = ["curl -i"];
  if (call.method !== "GET") words.push(call.method === "HEAD" ? "--head" : `-X ${call.method}`);
  if (token) words.push(`-H "Authorization: Bearer $TOKEN"`);
  for (const [name, value] of call.headers) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (call.body !== undefined) words.push(`-d ${quoted(call.body)}`);
  words.push(quoted(call.url));
  return [...(token ? [tokenLine(token)] : []), words.join(" \\\n  ")].join("\n");
}

function tokenLine({ url, clientId, clientSecret }: TokenRequest): string {
  const user = quoted(`${clientId}:${clientSecret}`);
  const ask = `curl -sS -u ${user} -d grant_type=client_credentials ${quoted(url)}`;
  return `TOKEN=$(${ask} | grep -o '"access_token": *"[^"]*"' | cut -d '"' -f 4)`;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
