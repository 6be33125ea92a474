// Sends the first call from the page. A client gets its token first, from the portal's own origin.

import { type Called, call } from "../../reference/call";
import type { CallRequest } from "../../reference/call_request";
import { type TokenRequest, basic } from "./first_call";

export async function send(first: CallRequest, token: TokenRequest | undefined): Promise<Called> {
  if (!token) return call(first);
  const asked = await call(tokenCall(token));
  if (!asked.isAnswered || asked.status !== 200) return asked;
  const { access_token } = JSON.parse(await asked.body.text()) as { access_token: string };
  const headers = [...first.headers, ["Authorization", `Bearer ${access_token}`] as const];
  return call({ ...first, headers });
}

/** The token endpoint has the portal's origin, under whichever name the page was opened. */
function tokenCall({ url, clientId, clientSecret }: TokenRequest): CallRequest {
  return {
    method: "POST",
    url: new URL(new URL(url).pathname, location.origin).href,
    headers: [["Authorization", basic(clientId, clientSecret)]],
    body: {
      kind: "text",
      type: "application/x-www-form-urlencoded",
      text: "grant_type=client_credentials",
    },
  };
}
