// APIs that flows need, published through the HTTP API.

import { change, done } from "./seed";
import type { Api } from "./tollgate";

/** What of an API matters to a flow. */
export interface Wanted {
  name: string;
  upstream: string;
  plans: readonly string[];
  /** More of its draft: security, limits, operations. */
  draft?: object;
}

export interface Published {
  api: string;
  version: string;
  /** Below the gateway. */
  path: string;
}

/** Makes an API whose only operation is `GET /things`, unless the draft says otherwise. */
export async function published(
  api: Api,
  { name, upstream, plans, draft }: Wanted,
): Promise<Published> {
  const context = `/${name.toLowerCase()}`;
  const body = { name, context, version: "1.0", description: `What ${name} knows.` };
  const made = await done(api.POST("/api/v1/apis", { body }));
  const version = made.version.id;
  const operations = [{ method: "GET", path: "/things", summary: "All things" }];
  await change(api, version, { upstream: { url: upstream }, operations, ...draft });
  const params = { path: { version } };
  await done(api.PUT("/api/v1/versions/{version}/plans", { params, body: [...plans] }));
  await move(api, version, "published");
  return { api: made.api.id, version, path: `${context}/1.0` };
}

export async function move(api: Api, version: string, to: "published" | "blocked"): Promise<void> {
  const params = { path: { version } };
  await done(api.POST("/api/v1/versions/{version}/lifecycle", { params, body: { to } }));
}
