// The first call with a new credential: as a curl command that runs when pasted, and as the request
// that the page sends.

import type { CatalogueEntry } from "../../api/queries/catalogue";
import type { CallRequest, Header } from "../../reference/call_request";
import { quoted } from "../../text/shell";
import { curl } from "../../reference/snippets/curl";
import { type Placeholder, snippetWith } from "../../reference/snippets/snippet";
import { DEFAULT_KEY_HEADER } from "../version/SecurityInWords";
import type { Obtained } from "./obtain";

/** A client's token request. */
export interface TokenRequest {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** Returns a call with the new credential, without the token that it may need. */
export function firstCall(
  { security }: CatalogueEntry,
  { key, basicUser }: Obtained,
  example: CallRequest,
): CallRequest {
  const own: Header[] = [];
  if (key?.key) own.push([security.api_key?.header ?? DEFAULT_KEY_HEADER, key.key]);
  if (basicUser?.password) {
    own.push(["Authorization", basic(basicUser.user_name, basicUser.password)]);
  }
  return { ...example, headers: [...own, ...example.headers] };
}

export function tokenRequest(
  { client }: Obtained,
  tokenUrl: string | undefined,
): TokenRequest | undefined {
  if (!client?.client_secret || tokenUrl === undefined) return undefined;
  return { url: tokenUrl, clientId: client.id, clientSecret: client.client_secret };
}

/** Formats HTTP Basic credentials (RFC 7617). Generated ones are ASCII. */
export const basic = (name: string, password: string) => `Basic ${btoa(`${name}:${password}`)}`;

const TOKEN: Placeholder = {
  kind: "header",
  header: "Authorization",
  prefix: "Bearer ",
  variable: "TOKEN",
};

/** Formats the call for a POSIX shell, including the secrets. */
export function asCurl(call: CallRequest, token: TokenRequest | undefined): string {
  const line = curl(snippetWith(call, token ? [TOKEN] : []));
  return token ? `${tokenLine(token)}\n${line}` : line;
}

function tokenLine({ url, clientId, clientSecret }: TokenRequest): string {
  const user = quoted(`${clientId}:${clientSecret}`);
  const command = `curl -sS -u ${user} -d grant_type=client_credentials ${quoted(url)}`;
  return `TOKEN=$(${command} | \\\n  grep -o '"access_token": *"[^"]*"' | cut -d '"' -f 4)`;
}
