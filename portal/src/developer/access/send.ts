// Sends the first call from the page. A client gets its token first, from the portal's own origin.

import { type Called, call } from "../../reference/call";
import type { CallRequest } from "../../reference/call_request";
import { type TokenRequest, basic } from "./first_call";

export async function send(first: CallRequest, token: TokenRequest | undefined): Promise<Called> {
  if (!token) return call(first);
  const answer = await call(tokenCall(token));
  if (!answer.isAnswered || answer.status !== 200) return answer;
  const { access_token } = JSON.parse(await answer.body.text()) as { access_token: string };
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
