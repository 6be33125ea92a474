// APIs that flows need, published through the HTTP API.

import { CALCULATOR } from "./documents";
import { asItIs, change, created, done, move } from "./seed";
import type { Api } from "./tollgate";

/** The API that a flow needs. */
export interface Wanted {
  name: string;
  upstream: string;
  plans: readonly string[];
  /** Further parts of its draft: security, limits, operations. */
  draft?: object;
}

export interface Published {
  api: string;
  version: string;
  /** Path below the gateway. */
  path: string;
}

/** Creates an API with the single operation `GET /things`, unless the draft has others. */
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

/** Creates the calculator, as SOAP or as REST; its path accepts a POST. */
export async function publishedCalculator(
  api: Api,
  { name, upstream, plans, draft }: Wanted,
  kind: "soap" | "soap_to_rest",
): Promise<Published> {
  const context = `/${name.toLowerCase()}`;
  const query = { name, context, version: "1.0", kind };
  const imported = api.POST("/api/v1/apis/import/wsdl", {
    params: { query },
    body: CALCULATOR,
    ...asItIs("text/xml"),
  });
  const made = created(await done(imported));
  const version = made.version.id;
  const params = { path: { version } };
  await change(api, version, { upstream: { url: upstream }, ...draft });
  await done(api.PUT("/api/v1/versions/{version}/plans", { params, body: [...plans] }));
  await move(api, version, "published");
  const path = kind === "soap" ? `${context}/1.0` : `${context}/1.0/Add`;
  return { api: made.api.id, version, path };
}
