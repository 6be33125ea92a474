import { useQuery } from "@tanstack/react-query";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import type { State, Version } from "../../api/queries/versions";

/** Returns the other versions of the API, newest first. */
export function useSiblings({ api, id }: Pick<Version, "api" | "id">): readonly VersionOverview[] {
  const { data } = useQuery(versionsOfApi(api).whole);
  return data?.items.filter(({ version }) => version !== id) ?? [];
}

/** Returns the newest version that can be called, if it is newer than this one. */
export function useNewestAfter({ api, id }: Version): VersionOverview | undefined {
  const { data } = useQuery(versionsOfApi(api).whole);
  const all = data?.items ?? [];
  const newer = all.slice(
    0,
    Math.max(
      0,
      all.findIndex(({ version }) => version === id),
    ),
  );
  return newer.find(({ state }) => state === "published" || state === "prototyped");
}

/** Returns whether the other versions of the API are still to be read. */
export const useAreSiblingsPending = ({ api }: Pick<Version, "api">): boolean =>
  useQuery(versionsOfApi(api).whole).isPending;

const SUCCESSORS: readonly State[] = ["published", "prototyped", "deprecated"];

/** Returns the versions that can be announced as a successor: those that can be called. */
export const successorsAmong = (versions: readonly VersionOverview[]) =>
  versions.filter(({ state }) => SUCCESSORS.includes(state));

/** Returns the versions that can be deprecated. */
export const deprecatableAmong = (versions: readonly VersionOverview[]) =>
  versions.filter(({ state }) => state === "published" || state === "blocked");
