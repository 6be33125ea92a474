import { useQuery } from "@tanstack/react-query";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import type { State, Version } from "../../api/queries/versions";

/** Returns the other versions of the API, newest first. */
export function useSiblings({ api, id }: Pick<Version, "api" | "id">): readonly VersionOverview[] {
  const { data } = useQuery(versionsOfApi(api).whole);
  return data?.items.filter(({ version }) => version !== id) ?? [];
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
