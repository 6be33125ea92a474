// The document of a version's draft: an OpenAPI document or the contract of a SOAP service, and its
// replacement.

import { queryOptions } from "@tanstack/react-query";
import { client, content, tagged } from "../client";
import { Problem } from "../problem";
import type { components } from "../schema";
import {
  type SecurityFromDocument,
  type Source,
  type UpstreamFromDocument,
  asItIs,
  securityQuery,
  upstreamQuery,
} from "./imports";
import { versionChanged } from "./versions";

type Schemas = components["schemas"];
export type ReplacedDocument = Schemas["ReplacedDocument"];
export type RemovedOperation = Schemas["RemovedOperation"];
export type AddedOperation = Schemas["AddedOperation"];
export type AccessChange = Schemas["AccessChange"];
export type OperationAccess = Schemas["OperationAccess"];
export type DocumentChange = Schemas["DocumentChange"];
export type DocumentDifference = Schemas["DocumentDifference"];
export type ProposedRename = Schemas["ProposedRename"];
export type ReplacedContract = Schemas["ReplacedContract"];
export type OperationChange = Schemas["OperationChange"];

const path = (version: string) => ({ path: { version } });

/** The text of a draft's document; `null` if there is none. */
export const draftDocument = (id: string) =>
  queryOptions({
    queryKey: ["versions", id, "document"],
    queryFn: async (): Promise<string | null> => {
      try {
        const params = { ...path(id), query: { of: "draft" as const } };
        const read = { params, parseAs: "text" as const };
        return await content<string>(client.GET("/api/v1/versions/{version}/document", read));
      } catch (error) {
        if (Problem.from(error).status === 404) return null;
        throw error;
      }
    },
  });

/** What a replacement does with the draft's settings. */
export interface ReplacementChoice extends SecurityFromDocument, UpstreamFromDocument {
  /** Whether operations at a new path keep the settings of the proposed old one. */
  isFollowing: boolean;
}

interface ReplacementQuery {
  security?: "document";
  allow_anonymous?: boolean;
  upstream?: "proposed";
  follow_renames?: boolean;
  dry_run?: boolean;
}

function putDocument(
  id: string,
  { body, contentType }: Source,
  query: ReplacementQuery,
  etag?: string,
) {
  return client.PUT("/api/v1/versions/{version}/document", {
    params: {
      ...path(id),
      query,
      ...(etag === undefined ? {} : { header: { "If-Match": etag } }),
    },
    headers: { "Content-Type": contentType },
    body: body as unknown as string,
    ...asItIs,
  });
}

const queryOf = ({ isFollowing, ...taken }: ReplacementChoice): ReplacementQuery => ({
  ...securityQuery(taken),
  ...upstreamQuery(taken),
  ...(isFollowing ? { follow_renames: true } : {}),
});

/**
 * Query for the effects of a replacement, with the entity tag of the draft that it was compared
 * with; `draft` is that of the draft that the page knows.
 */
export const replacement = (id: string, source: Source, choice: ReplacementChoice, draft: string) =>
  queryOptions({
    queryKey: ["replacements", id, source.id, choice, draft],
    queryFn: () => tagged(putDocument(id, source, { ...queryOf(choice), dry_run: true })),
    retry: false,
    // The document is sent once: no other change sends it again.
    staleTime: "static",
    gcTime: 0,
  });

/** Replaces the document of a draft; fails with 412 if the draft has another entity tag. */
export async function replaceDocument(
  id: string,
  source: Source,
  choice: ReplacementChoice,
  etag: string,
): Promise<void> {
  await content(putDocument(id, source, queryOf(choice), etag));
  await versionChanged(id);
}

/** Replaces the contract of a draft; fails with 412 if the draft has another entity tag. */
export async function replaceContract(
  id: string,
  { body, contentType }: Source,
  etag: string,
): Promise<ReplacedContract> {
  const replaced = await content(
    client.PUT("/api/v1/versions/{version}/contract", {
      params: { ...path(id), header: { "If-Match": etag } },
      headers: { "Content-Type": contentType },
      body: body as unknown as string,
      ...asItIs,
    }),
  );
  await versionChanged(id);
  return replaced;
}
