import { useQuery } from "@tanstack/react-query";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import type { State, Version } from "../../api/queries/versions";

/** Returns the other versions of the API, newest first. */
export function useSiblings({ api, id }: Pick<Version, "api" | "id">): readonly VersionOverview[] {
  const { data } = useQuery(versionsOfApi(api).whole);
  return siblingsAmong(data?.items ?? [], id);
}

/** Returns the other versions than this one, in their order. */
export const siblingsAmong = (all: readonly VersionOverview[], id: string) =>
  all.filter(({ version }) => version !== id);

/** Returns the newest version that can be called, if it is newer than this one. */
export function newestAfter(all: readonly VersionOverview[], id: string) {
  const place = all.findIndex(({ version }) => version === id);
  const newer = all.slice(0, Math.max(0, place));
  return newer.find(({ state }) => state === "published" || state === "prototyped");
}

const SUCCESSORS: readonly State[] = ["published", "prototyped", "deprecated"];

/** Returns the versions that can be announced as a successor: those that can be called. */
export const successorsAmong = <V extends { state: State }>(versions: readonly V[]) =>
  versions.filter(({ state }) => SUCCESSORS.includes(state));

/** Returns the versions that can be deprecated. */
export const deprecatableAmong = (versions: readonly VersionOverview[]) =>
  versions.filter(({ state }) => state === "published" || state === "blocked");
