// Explanations of the gateway's refusals for callers. The codes are the API's closed list, so a
// code without an explanation does not compile; refusals.test.ts compares the rest with
// docs/reference/refusals.md.

import type { components } from "../../api/schema";

export type RefusalCode = components["schemas"]["RefusalCode"];

/** Who must act for the call to succeed. */
export type Blame = "caller" | "provider" | "operator";

export interface RefusalWords {
  /** Titles of the problem that the caller receives, by status. */
  titles: Readonly<Record<number, string>>;
  blame: Blame;
  /** Whether the same call may succeed later without a change. */
  mayRetry: boolean;
  /** What happened and what to do. */
  explained: string;
}

const caller = (status: number, title: string, explained: string): RefusalWords => ({
  titles: { [status]: title },
  blame: "caller",
  mayRetry: false,
  explained,
});
const provider = (status: number, title: string, explained: string): RefusalWords => ({
  ...caller(status, title, explained),
  blame: "provider",
});
const operator = (status: number, title: string, explained: string): RefusalWords => ({
  ...caller(status, title, explained),
  blame: "operator",
});
const later = (words: RefusalWords): RefusalWords => ({ ...words, mayRetry: true });

export const refusalWords: Readonly<Record<RefusalCode, RefusalWords>> = {
  "listener.bad_request": caller(
    400,
    "The request is not well-formed HTTP.",
    "The gateway parses HTTP strictly, to prevent request smuggling. Look for a header with a control character, two lengths that differ, or a proxy that rewrites requests.",
  ),
  "listener.head_time": later(
    caller(
      408,
      "The request head did not arrive in time.",
      "The connection was opened, but the request did not arrive. The cause is usually a slow or broken network; send it again.",
    ),
  ),
  "listener.target_too_long": caller(
    414,
    "The request target is too long.",
    "Path and query together are longer than the gateway accepts. Move large values into the body.",
  ),
  "listener.head_too_large": caller(
    431,
    "The request head is too large.",
    "The headers together are larger than the gateway accepts. Look for large cookies or repeated tokens.",
  ),
  "listener.version": caller(
    505,
    "This HTTP version is not supported.",
    "The gateway speaks HTTP/1.1. Configure your client to use it.",
  ),
  "listener.connections": later(
    operator(
      503,
      "The gateway has no free connection.",
      "More connections are open than the gateway accepts. Reuse connections, and wait before you try again.",
    ),
  ),
  "route.no_api": caller(
    404,
    "There is no API at this path.",
    "No API begins with this path. Compare it with the address in the catalogue: the context and the version's name must both match, including upper and lower case.",
  ),
  "route.no_operation": {
    ...caller(
      404,
      "The API has no such operation.",
      "The API exists, but no operation has this path and method. With 405, the header Allow lists the methods that the path supports. The reference lists all operations.",
    ),
    titles: {
      404: "The API has no such operation.",
      405: "The operation does not accept this method.",
    },
  },
  "route.blocked": later(
    provider(
      503,
      "This version of the API is blocked.",
      "Its publisher has blocked it for now; keys and subscriptions are kept. Ask the publisher how long it will last, or call another version.",
    ),
  ),
  "route.ambiguous": caller(
    400,
    "The back end might read the request as another operation.",
    "Part of the path is encoded more than once, or has an encoded slash, a backslash or a semicolon that some servers treat as the end of a segment; or a field names another method than the request line. Encode each value once. If the API needs such values, its publisher can set how its back end parses paths.",
  ),
  "route.cors": provider(
    403,
    "Pages of this origin may not call the API.",
    "A browser asked whether a page of another origin may call this version, and its publisher does not list that origin. Ask the publisher to add it, exactly as the browser shows it: scheme, host and port. Programs that are not web pages are not affected.",
  ),
  "mediate.policy": provider(
    500,
    "A policy of the API cannot be applied.",
    "The version has a policy that makes a text of more than 10 MiB of this message. Report the call to the publisher.",
  ),
  "mediate.threat": caller(
    400,
    "The request body exceeds a bound of the API.",
    "It is nested too deeply, has too many members or items, or a value that is too long or not allowed. The response's detail names the bound. Send less at once, or ask the publisher.",
  ),
  "mediate.busy": later(
    operator(
      503,
      "The gateway has no room for another message.",
      "The API reads whole messages, and those of other calls take all the memory for them right now. Send the call again after the seconds in Retry-After. If it happens often, an administrator can raise gateway.buffered_bytes_max.",
    ),
  ),
  "authenticate.missing": caller(
    401,
    "The call carries no credential.",
    "The version requires a credential. Send the key in its header, or the token as Authorization: Bearer; the API's page shows which. A proxy on the way may have removed the header.",
  ),
  "authenticate.invalid": caller(
    401,
    "The credential is not valid.",
    "It was mistyped or cut off, has expired, was revoked or suspended, or it was sent together with a second one. The response does not reveal which, so that keys cannot be guessed; the state of your own credentials is shown below.",
  ),
  "authenticate.wrong_type": caller(
    401,
    "The API does not accept this kind of credential.",
    "It may be valid elsewhere, but this version accepts other kinds. The API's page lists them; create one in your application.",
  ),
  "authorize.not_subscribed": caller(
    403,
    "The application is not subscribed to this API.",
    "The credential is valid, but its application has no subscription to this version. Subscribe it in the catalogue, or use the credential of an application that is subscribed.",
  ),
  "authorize.subscription_blocked": provider(
    403,
    "The subscription is blocked.",
    "The API's publisher has blocked the subscription, for all calls or for production calls. Only the publisher can unblock it.",
  ),
  "authorize.subscription_inactive": provider(
    403,
    "The subscription is not active.",
    "It is pending approval or was rejected; a rejected one can be requested again on the application's page of subscriptions. Once the API's publisher approves it, the same credential works.",
  ),
  "authorize.no_environment": provider(
    403,
    "The API does not serve this credential's environment.",
    "The credential is for production or for the sandbox, and the version has no back end for that environment. Use a credential of the other environment, or ask the publisher.",
  ),
  "authorize.scope": caller(
    403,
    "The credential does not have the scope that the operation requires.",
    "The token was issued without a scope that this operation needs. Give the client that scope and request a new token with it: tokens already issued do not change. A scope by approval takes effect once the API's publisher has granted it to your application's subscription; tokens that carry it then work at once.",
  ),
  "authorize.denied": caller(
    403,
    "The credential may not be used from here.",
    "Its owner has restricted it to certain addresses or web origins, and the call came from elsewhere. Change the restriction of the credential, or call from an allowed place.",
  ),
  "admit.api": later(
    caller(
      429,
      "The API's limit is used up.",
      "All callers of the API together have used up its limit. Wait for the time in Retry-After.",
    ),
  ),
  "admit.application": later(
    caller(
      429,
      "The application's limit is used up.",
      "The application has used up its limit across all its APIs. Wait for the time in Retry-After; an administrator can raise the limit.",
    ),
  ),
  "admit.subscription": later(
    caller(
      429,
      "The subscription's limit is used up.",
      "The plan's calls for this window are used up. Wait for the time in Retry-After, or choose a larger plan, which applies at once.",
    ),
  ),
  "admit.subscription_burst": later(
    caller(
      429,
      "The subscription's calls come too fast.",
      "The plan allows this many calls, but not so close together. Spread them out; Retry-After gives the time to wait.",
    ),
  ),
  "admit.application_burst": later(
    caller(
      429,
      "The application's calls come too fast.",
      "The application may make this many calls, but not so close together. Spread them out; Retry-After gives the time to wait.",
    ),
  ),
  "admit.operation": later(
    caller(
      429,
      "The operation's limit is used up.",
      "This operation has a limit of its own, which is used up. Other operations still work; for this one, wait for the time in Retry-After.",
    ),
  ),
  "admit.rule": later(
    caller(
      429,
      "A limit of single callers is used up.",
      "A plan or the API limits the calls of each user or address, or calls with certain properties, such as a header. The response names the limit. Other callers and other calls may still work; for this one, wait for the time in Retry-After.",
    ),
  ),
  "admit.upstream": later(
    provider(
      503,
      "The back end's limit is used up.",
      "The back end takes only a limited number of calls, and those of all callers together have used it up. Your own limits are not charged. Wait for the time in Retry-After, if there is one, and try again.",
    ),
  ),
  "listener.body_time": later(
    caller(
      408,
      "The request body did not arrive in time.",
      "The body stopped arriving, or arrived more slowly than those of others while the gateway was short of room for them. Send it again; if it is large, check that your client does not pause between chunks.",
    ),
  ),
  "listener.answer_time": later(
    caller(
      408,
      "The response was not read in time.",
      "The gateway responded, but closed the connection before the whole response was read: the program read nothing of it, or too little, for too long. Read the response as it arrives.",
    ),
  ),
  "listener.answer_room": later(
    operator(
      503,
      "The response was read too slowly while the gateway was short of room.",
      "The gateway responded, but closed the connection before the whole response was read: others needed the room. Call again, and read the response as it arrives.",
    ),
  ),
  "mediate.body_too_large": caller(
    413,
    "The request body is too large.",
    "The API accepts only smaller bodies. Send less at once, or ask its publisher.",
  ),
  "mediate.not_well_formed": caller(
    400,
    "The request body is not well-formed.",
    "It is not valid JSON or XML, as the API expects. The response's detail gives the position.",
  ),
  "mediate.wrong_type": caller(
    415,
    "The API does not accept a body of this type.",
    "Send the body in the media type listed in the reference, and set Content-Type accordingly.",
  ),
  "mediate.invalid_request": caller(
    400,
    "The request does not fit the API's contract.",
    "A member is missing, has the wrong type, or is unknown. The response lists each mismatch with its location.",
  ),
  "mediate.not_acceptable": caller(
    406,
    "The API answers in JSON, which the call does not accept.",
    "The header Accept excludes JSON. Add application/json to it, or omit the header.",
  ),
  "upstream.connect": later(
    provider(
      502,
      "The back end cannot be reached.",
      "The gateway is up, but the back end does not accept connections. Try again later, and contact the publisher if it persists.",
    ),
  ),
  "upstream.broken": later(
    provider(
      502,
      "The back end broke off the exchange.",
      "It accepted the call and closed the connection before its response was complete. The call may have taken effect: check before you repeat a call that changes data.",
    ),
  ),
  "upstream.timeout": later(
    provider(
      504,
      "The back end took too long.",
      "The back end did not respond within the API's time limit. The call may have taken effect: check before you repeat a call that changes data.",
    ),
  ),
  "upstream.pool_timeout": later(
    provider(
      503,
      "No connection to the back end became free in time.",
      "More calls are in progress than the API's back end accepts at once. Wait a little, and try again with fewer in parallel.",
    ),
  ),
  "upstream.not_understood": provider(
    502,
    "The back end's response is not valid.",
    "It does not match the API's contract. The publisher must fix the back end or the contract.",
  ),
  "upstream.too_large": provider(
    502,
    "The back end's response is too large.",
    "The response must be read whole to be converted, and exceeds the limit for that. Request less, or contact the publisher.",
  ),
  "upstream.denied": provider(
    502,
    "The back end denied access to the gateway.",
    "The back end rejects the credentials that the gateway has for it. The publisher must fix them; yours are not involved.",
  ),
  "upstream.unavailable": later(
    provider(
      503,
      "The back end is unavailable.",
      "The back end itself reports this. Try again later.",
    ),
  ),
  "upstream.forbidden": provider(
    502,
    "The back end's address is not allowed.",
    "Its name resolves to an internal address that the operator does not allow. The publisher must set another address.",
  ),
  "upstream.certificate": provider(
    502,
    "The back end's certificate cannot be trusted.",
    "It has expired, is for another name, or is not signed by an authority that the gateway trusts. The publisher must fix it; nothing of your call was sent.",
  ),
  "cache.only_if_cached": later(
    caller(
      504,
      "No stored response answers the call.",
      "The call asks for a stored response only, by Cache-Control: only-if-cached, and the gateway has none. Send it without that directive.",
    ),
  ),
  internal: later(
    operator(
      500,
      "Something went wrong in the gateway.",
      "This is a bug in Tollgate. Give its operator the request id, which is in the log.",
    ),
  ),
};
