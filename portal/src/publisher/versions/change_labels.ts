// The labels of changed members: those of the forms that edit them.

import type { Change } from "../../api/queries/revisions";
import { text } from "../../text/text";

const cache = text.publisher.version.cache;
const credential = text.publisher.version.credential;
const operations = text.publisher.version.operations;
const policies = text.publisher.version.policies;
const reading = text.publisher.version.reading;
const revisions = text.publisher.version.revisions;
const security = text.publisher.version.security;
const tabs = text.publisher.version.tabs;
const upstream = text.publisher.version.upstream;
const { cors, places } = policies;

/** Labels by the end of a pointer below an upstream; numbers in pointers are `*`. */
const UPSTREAM = {
  "/url": upstream.url,
  "/connect_timeout_ms": upstream.connect,
  "/first_byte_timeout_ms": upstream.firstByte,
  "/idle_timeout_ms": upstream.idle,
  "/ca": upstream.ca,
  "/verify_certificate": upstream.verify,
  "/credential": credential.kind,
  "/credential/header/name": credential.headerName,
  "/credential/header/value": credential.headerValue,
  "/credential/basic/name": credential.userName,
  "/credential/basic/password": credential.password,
};
const CACHE = {
  "": cache.title,
  "/enabled": cache.isOn,
  "/share": cache.share,
  "/ttl_s": cache.ttl,
  "/query": cache.query,
  "/headers": cache.headers,
  "/pass": cache.pass,
  "/stale_while_revalidate_s": cache.staleWhile,
  "/stale_if_error_s": cache.staleError,
  "/negative_s": cache.negative,
  "/entry_bytes_max": cache.entryBytes,
  "/wait_ms": cache.waitMs,
  "/obey_request": cache.obey,
  "/show_status": cache.showStatus,
};
const CORS = {
  "": cors.title,
  "/origins": cors.origins,
  "/portal": cors.portal,
  "/methods": cors.methods,
  "/headers": cors.headers,
  "/expose": cors.expose,
  "/credentials": cors.credentials,
  "/max_age_s": cors.maxAge,
};
const SECURITY = {
  "": security.schemes,
  "/require": security.require,
  "/api_key": security.scheme.api_key.label,
  "/api_key/header": security.header,
  "/api_key/query": security.query,
  "/oauth2": security.scheme.oauth2.label,
  "/basic": security.scheme.basic.label,
  "/scopes": security.scopes,
};
const OPERATION = {
  "/summary": operations.summary,
  "/limits": operations.limits,
  "/scopes": operations.scopes,
  "/anonymous": operations.credential,
};

const under = (place: string, labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([end, label]) => [`${place}${end}`, label] as const);

const LABELS: ReadonlyMap<string, string> = new Map([
  ["/upstream", upstream.production],
  ["/sandbox_upstream", upstream.sandbox],
  ...under("/upstream", UPSTREAM),
  ...under("/sandbox_upstream", UPSTREAM),
  ["/encoded_slash", reading.encodedSlash.label],
  ["/semicolon", reading.semicolon.label],
  ["/paths", reading.paths.label],
  ["/method_override", reading.methodOverride.label],
  ...under("/security", SECURITY),
  ["/key_header", security.header],
  ["/limits", tabs.limits],
  ["/policies/request", places.request],
  ["/policies/response", places.response],
  ["/policies/error", places.error],
  ["/policies/operations", policies.faults.operations],
  ...under("/policies/cors", CORS),
  ...under("/policies/cache", CACHE),
  ...under("/policies/operations/*/cache", CACHE),
  ...under("/operations/*", OPERATION),
  ...under("/soap/operations/*", OPERATION),
  ["/document", tabs.document],
  ["/soap/contract", revisions.contract.title],
]);

/** Returns the label of the form's field that edits a member, or the nearest one around it. */
export function labelOf({ pointer }: Change): string | undefined {
  const tokens = pointer.split("/").map((token) => (/^\d+$/.test(token) ? "*" : token));
  const around = tokens.map((_, index) => tokens.slice(0, tokens.length - index).join("/"));
  return around.map((place) => LABELS.get(place)).find((label) => label !== undefined);
}
