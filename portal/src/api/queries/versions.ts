// Versions of APIs: their state, draft, revisions and plans.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content, tagged } from "../client";
import { queryClient } from "../query_client";
import { apisChanged } from "./apis";

export type Version = components["schemas"]["Version"];
export type Configuration = components["schemas"]["Configuration"];
export type Upstream = components["schemas"]["Upstream"];
export type Security = components["schemas"]["Security"];
/** How a scope is granted. */
export type Granted = components["schemas"]["Granted"];
export type State = components["schemas"]["State"];
export type LifecycleStep = components["schemas"]["LifecycleStep"];
export type OfferedPlan = components["schemas"]["OfferedPlan"];

/** A note on a part of a saved draft. */
export type DraftNote = components["schemas"]["DraftNote"];
type SavedDraft = components["schemas"]["SavedDraft"];

/** A draft with its entity tag for `If-Match`. */
export interface TaggedDraft {
  value: Configuration;
  etag: string;
  notes: readonly DraftNote[];
}

/** A change of a draft: a JSON Merge Patch (RFC 7396). */
export type DraftPatch = Record<string, unknown>;

const KEY = ["versions"];
export { KEY as VERSIONS_KEY };
const path = (version: string) => ({ path: { version } });

export const version = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id],
    queryFn: () => content(client.GET("/api/v1/versions/{version}", { params: path(id) })),
  });

export const draft = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, "draft"],
    queryFn: async () =>
      withoutNotes(
        await tagged(client.GET("/api/v1/versions/{version}/draft", { params: path(id) })),
      ),
  });

export const history = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, "lifecycle"],
    queryFn: () =>
      content(client.GET("/api/v1/versions/{version}/lifecycle", { params: path(id) })),
  });

/** The import report of a SOAP service's contract. */
export const contract = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, "contract"],
    queryFn: () => content(client.GET("/api/v1/versions/{version}/contract", { params: path(id) })),
  });

/** Invalidates queries after a change of a version. */
export async function versionChanged(id: string): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: [...KEY, id] }), apisChanged()]);
}

/** Changes parts of a draft; with `etag`, fails with 412 if the draft has changed. */
export async function patchDraft(
  id: string,
  etag: string | undefined,
  patch: DraftPatch,
): Promise<TaggedDraft> {
  const saved = await tagged(
    client.PATCH("/api/v1/versions/{version}/draft", {
      params: { ...path(id), ...(etag === undefined ? {} : { header: { "If-Match": etag } }) },
      body: patch as Record<string, never>,
    }),
  );
  await versionChanged(id);
  return withoutNotes(saved);
}

/** Separates a draft from its notes. */
function withoutNotes(saved: { value: SavedDraft; etag: string }): TaggedDraft {
  const { notes = [], ...value } = saved.value;
  return { value, etag: saved.etag, notes };
}

/**
 * Creates a version of an API, with draft, plans and document of another. The pages that show it
 * read it when they open.
 */
export async function createVersion(
  api: string,
  body: components["schemas"]["NewVersion"],
): Promise<Version> {
  const params = { path: { api } };
  return content(client.POST("/api/v1/apis/{api}/versions", { params, body }));
}

export async function makeDefault(id: string): Promise<void> {
  await content(client.POST("/api/v1/versions/{version}/default", { params: path(id) }));
  await versionChanged(id);
}

export async function setOffers(id: string, plans: string[]): Promise<void> {
  try {
    await content(
      client.PUT("/api/v1/versions/{version}/plans", { params: path(id), body: plans }),
    );
  } finally {
    await versionChanged(id);
  }
}
