// A developer's application with a key, subscribed to a version.

import { done } from "./seed";
import type { Api, Tollgate } from "./tollgate";

export interface Caller {
  application: string;
  key: string;
  /** Calls a path of the gateway with the key. */
  call: (path: string, init?: RequestInit) => Promise<Response>;
}

/** Creates an application with a key. */
export async function caller(tollgate: Tollgate, api: Api, name: string): Promise<Caller> {
  const { id } = await done(api.POST("/api/v1/applications", { body: { name } }));
  const params = { path: { application: id } };
  const path = "/api/v1/applications/{application}/keys";
  const { key } = await done(api.POST(path, { params, body: { name: "till" } }));
  const call = (to: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("apikey")) headers.set("apikey", key ?? "");
    return fetch(`${tollgate.gateway}${to}`, { ...init, headers });
  };
  return { application: id, key: key ?? "", call };
}

/** Subscribes an application to a version. */
export async function subscribe(
  api: Api,
  application: string,
  version: string,
  plan: string,
): Promise<void> {
  await done(api.POST("/api/v1/subscriptions", { body: { application, version, plan } }));
}
