// Revisions of a version: their list, what differs between two of them, and the two ways to use
// one: deploying it, and restoring it into the draft.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Searched, text } from "../../search_parameters";
import { client, content } from "../client";
import { listing } from "./pages";
import { type TaggedDraft, versionChanged } from "./versions";

export type Revision = components["schemas"]["Revision"];
export type Difference = components["schemas"]["VersionDifference"];
export type Change = components["schemas"]["Change"];
export type ChangeGroup = components["schemas"]["ChangeGroup"];

/** One side of a comparison: a number is that of a revision. */
export type Side = "draft" | "deployed" | number;

/** Maximum number of a revision in the API. */
const NUMBER_MAX = 2_147_483_647;

/** Reads a side from a search parameter. */
export function readSide(value: unknown): Side | undefined {
  if (value === "draft" || value === "deployed") return value;
  const isNumber = typeof value === "number" && Number.isInteger(value);
  return isNumber && value >= 1 && value <= NUMBER_MAX ? value : undefined;
}

/**
 * Search parameters of the page of revisions: the two sides that are compared, and the id of the
 * first one's version if that is not the version of the page.
 */
export const REVISIONS_SEARCH = { from: readSide, from_version: text, to: readSide };
export type RevisionsSearch = Searched<typeof REVISIONS_SEARCH>;

const path = (version: string) => ({ path: { version } });

/** The revisions of a version, newest first. */
export const revisions = (id: string) =>
  listing(["versions", id, "revisions"], ({ after, ...page }) => {
    const query = {
      ...page,
      sort: "-created",
      ...(after === undefined ? {} : { after: Number(after) }),
    } as const;
    const params = { ...path(id), query };
    return content(client.GET("/api/v1/versions/{version}/revisions", { params }));
  });

export const revision = (id: string, number: number) =>
  queryOptions({
    queryKey: ["versions", id, "revision", number],
    queryFn: () =>
      content(
        client.GET("/api/v1/versions/{version}/revisions/{number}", {
          params: { path: { version: id, number } },
        }),
      ),
    // Revisions are immutable.
    staleTime: Infinity,
  });

/** The differences of two sides; the first one may be that of another version. */
export const difference = (id: string, from: Side, to: Side, fromVersion?: string) =>
  queryOptions({
    queryKey: ["versions", id, "difference", from, to, fromVersion],
    queryFn: () => {
      const other = fromVersion === undefined ? {} : { from_version: fromVersion };
      const query = { from: String(from), to: String(to), ...other };
      const params = { ...path(id), query };
      return content(client.GET("/api/v1/versions/{version}/difference", { params }));
    },
  });

export async function makeRevision(id: string, note: string): Promise<Revision> {
  return content(
    client.POST("/api/v1/versions/{version}/revisions", { params: path(id), body: { note } }),
  );
}

export async function deploy(id: string, body: components["schemas"]["Deploy"]): Promise<void> {
  try {
    await content(client.PUT("/api/v1/versions/{version}/deployment", { params: path(id), body }));
  } finally {
    await versionChanged(id);
  }
}

/** Replaces the draft with a revision; fails with 412 if the draft has changed in the meantime. */
export async function restoreDraft(
  id: string,
  { etag }: TaggedDraft,
  revision: number,
): Promise<void> {
  const params = { ...path(id), header: { "If-Match": etag } };
  try {
    await content(
      client.POST("/api/v1/versions/{version}/draft/restore", { params, body: { revision } }),
    );
  } finally {
    // After a 412 the user sees the present draft and can try again.
    await versionChanged(id);
  }
}

export async function deleteRevision(id: string, number: number): Promise<void> {
  const params = { path: { version: id, number } };
  await content(client.DELETE("/api/v1/versions/{version}/revisions/{number}", { params }));
  await versionChanged(id);
}
