// What each refusal of the gateway means to the caller. The codes are the API's closed list,
// so that one without words does not compile; refusals.test.ts compares the rest with
// docs/reference/refusals.md.

import type { components } from "../../api/schema";

export type RefusalCode = components["schemas"]["RefusalCode"];

/** Who must act for the call to succeed. */
export type Blame = "caller" | "provider" | "operator";

export interface RefusalWords {
  /** What the caller reads, by status. */
  titles: Readonly<Record<number, string>>;
  blame: Blame;
  /** Whether the same call may succeed later without a change. */
  mayRetry: boolean;
  /** What has happened, and what to do. */
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
    "The gateway reads HTTP strictly, so that nobody can smuggle one request inside another. Look for a header with a control character, two lengths that differ, or a proxy that rewrites requests.",
  ),
  "listener.head_time": later(
    caller(
      408,
      "The request head did not arrive in time.",
      "The connection was opened and the request did not follow. Usually a slow or broken network; send it again.",
    ),
  ),
  "listener.target_too_long": caller(
    414,
    "The request target is too long.",
    "Path and query together are longer than the gateway takes. Move what is large into the body.",
  ),
  "listener.head_too_large": caller(
    431,
    "The request head is too large.",
    "The headers together are larger than the gateway takes. Look for large cookies or tokens that pile up.",
  ),
  "listener.version": caller(
    505,
    "This HTTP version is not supported.",
    "The gateway speaks HTTP/1.1. Tell your client to use it.",
  ),
  "listener.connections": later(
    operator(
      503,
      "The gateway has no connection free.",
      "More connections are open than the gateway takes. Keep connections and use them again, and wait before you try once more.",
    ),
  ),
  "route.no_api": caller(
    404,
    "There is no API at this path.",
    "No API begins with this path. Compare it with the address in the catalogue: the context and the version's name both count, and so does the case of letters.",
  ),
  "route.no_operation": {
    ...caller(
      404,
      "The API has no such operation.",
      "The API is there, but nothing of it has this path or takes this method. With 405 the header Allow names the methods that the path takes. The reference lists all operations.",
    ),
    titles: {
      404: "The API has no such operation.",
      405: "The operation does not take this method.",
    },
  },
  "route.blocked": later(
    provider(
      503,
      "This version of the API is blocked.",
      "Its publisher has stopped it for now, and keys and subscriptions stay as they are. Ask the publisher how long, or call another version.",
    ),
  ),
  "route.ambiguous": caller(
    400,
    "The back end might take the request for another operation.",
    "Part of the path is encoded more than once, or has an encoded slash, a backslash or a semicolon that some servers read as the end of a segment; or a field names another method than the request line. Encode each value once. If the API needs such values, its publisher sets how its back end reads paths.",
  ),
  "authenticate.missing": caller(
    401,
    "The call carries no credential.",
    "The version wants to know who calls. Send the key in its header, or the token as Authorization: Bearer; the API's page says which. A proxy on the way may have taken the header off.",
  ),
  "authenticate.invalid": caller(
    401,
    "The credential is not valid.",
    "It was mistyped or cut off, has expired, was revoked or suspended, or it was sent together with a second one. The answer does not say which, so that nobody can try keys out; what you may see of your own credentials is below.",
  ),
  "authenticate.wrong_type": caller(
    401,
    "The API does not take this kind of credential.",
    "It may be good elsewhere: this version takes others. The API's page says which; make one of that kind in your application.",
  ),
  "authorize.not_subscribed": caller(
    403,
    "The application is not subscribed to this API.",
    "The credential is good, but its application has no subscription to this very version. Subscribe it in the catalogue, or use the credential of an application that is subscribed.",
  ),
  "authorize.subscription_blocked": provider(
    403,
    "The subscription is blocked.",
    "The API's publisher has blocked the subscription, for all calls or for those to production. Only the publisher can lift that.",
  ),
  "authorize.subscription_inactive": provider(
    403,
    "The subscription is not active.",
    "It waits for its approval or was rejected. The API's publisher decides; the credential works from that moment on, unchanged.",
  ),
  "authorize.no_environment": provider(
    403,
    "The API does not serve this credential's environment.",
    "The credential is for production or for the sandbox, and the version has no back end for that one. Use a credential of the other environment, or ask the publisher.",
  ),
  "authorize.scope": caller(
    403,
    "The credential does not have the scope that the operation asks for.",
    "The token was issued without a scope that this operation needs. Give the client that scope, ask for it when you get the token, and get a new token: those that are issued stay as they are. A scope by approval counts once the API's publisher has granted it to your application's subscription; tokens that carry it then work at once.",
  ),
  "authorize.denied": caller(
    403,
    "The credential may not be used from here.",
    "Its owner has said from which addresses or web pages it may be used, and the call came from elsewhere. Change that at the credential, or call from where it is allowed.",
  ),
  "admit.api": later(
    caller(
      429,
      "The API's limit is used up.",
      "All callers of the API together have used up its limit. Wait as long as Retry-After says.",
    ),
  ),
  "admit.application": later(
    caller(
      429,
      "The application's limit is used up.",
      "The application has used up what it may call over all its APIs. Wait as long as Retry-After says; an administrator can raise the limit.",
    ),
  ),
  "admit.subscription": later(
    caller(
      429,
      "The subscription's limit is used up.",
      "The plan's calls for this window are used up. Wait as long as Retry-After says, or choose a larger plan: it acts at once.",
    ),
  ),
  "admit.subscription_burst": later(
    caller(
      429,
      "The subscription's calls come too fast.",
      "The plan allows this many calls, but not so close together. Spread them, as Retry-After says.",
    ),
  ),
  "admit.application_burst": later(
    caller(
      429,
      "The application's calls come too fast.",
      "The application may make this many calls, but not so close together. Spread them, as Retry-After says.",
    ),
  ),
  "admit.operation": later(
    caller(
      429,
      "The operation's limit is used up.",
      "This operation has a limit of its own, which is used up. Others go on; wait for this one as long as Retry-After says.",
    ),
  ),
  "listener.body_time": later(
    caller(
      408,
      "The request body did not arrive in time.",
      "The body stopped coming. Send it again; where it is large, check that your client does not wait between its pieces.",
    ),
  ),
  "listener.answer_time": later(
    caller(
      408,
      "The answer was not read in time.",
      "The call was answered, but the connection was closed before all of the answer was read: the program read nothing of it, or too little, for too long. Read it as it comes.",
    ),
  ),
  "mediate.body_too_large": caller(
    413,
    "The request body is too large.",
    "The API takes smaller bodies. Send less at once, or ask its publisher.",
  ),
  "mediate.not_well_formed": caller(
    400,
    "The request body is not well-formed.",
    "It is not JSON, or not XML, although the API reads it as that. The answer's detail names the place.",
  ),
  "mediate.wrong_type": caller(
    415,
    "The API does not take a body of this type.",
    "Send the body in the type that the reference names, and say so in Content-Type.",
  ),
  "mediate.invalid_request": caller(
    400,
    "The request does not fit the API's contract.",
    "A member is missing, of another type, or not known. The answer lists what does not fit, by its place.",
  ),
  "mediate.not_acceptable": caller(
    406,
    "The API answers in JSON, which the call does not accept.",
    "The header Accept leaves JSON out. Add application/json to it, or leave the header off.",
  ),
  "upstream.connect": later(
    provider(
      502,
      "The back end cannot be reached.",
      "The gateway is up; what stands behind it does not take connections. Try again later, and tell the publisher if it lasts.",
    ),
  ),
  "upstream.broken": later(
    provider(
      502,
      "The back end broke off the exchange.",
      "It took the call and ended the connection before its answer was whole. The call may have acted; look before you repeat what changes something.",
    ),
  ),
  "upstream.timeout": later(
    provider(
      504,
      "The back end took too long.",
      "No answer came within the API's bound. The call may have acted; look before you repeat what changes something.",
    ),
  ),
  "upstream.pool_timeout": later(
    provider(
      503,
      "No connection to the back end became free in time.",
      "More calls are under way than the API's back end takes at once. Wait a little, and try again with fewer in parallel.",
    ),
  ),
  "upstream.not_understood": provider(
    502,
    "The back end's answer is not understood.",
    "It is not what the API's contract says. Its publisher must mend the back end or the contract.",
  ),
  "upstream.too_large": provider(
    502,
    "The back end's answer is too large.",
    "The answer must be read whole to be made another, and is larger than that allows. Ask for less, or tell the publisher.",
  ),
  "upstream.denied": provider(
    502,
    "The back end does not let the gateway in.",
    "The back end wants other credentials than the gateway has for it. They are the publisher's matter, not yours.",
  ),
  "upstream.unavailable": later(
    provider(503, "The back end cannot answer now.", "It says so itself. Try again later."),
  ),
  "upstream.forbidden": provider(
    502,
    "The back end's address is one that no API may have.",
    "Its name leads to an address inside that the operator does not allow. The publisher must give another.",
  ),
  "upstream.certificate": provider(
    502,
    "The back end's certificate cannot be trusted.",
    "It has expired, is for another name, or is signed by nobody whom the gateway trusts. The publisher must mend it; nothing of your call was sent.",
  ),
  internal: later(
    operator(
      500,
      "Something went wrong in the gateway.",
      "This is a fault of Tollgate. Tell its operator the request id: the log has it.",
    ),
  ),
};
