// What a deployment changes: the differences from the deployed revision, and both configurations.

import { useQuery } from "@tanstack/react-query";
import {
  type Difference,
  difference,
  revision as revisionQuery,
} from "../../api/queries/revisions";
import type { Configuration } from "../../api/queries/versions";
import type { Question } from "../../ui/Loaded";
import type { Shown } from "./VersionFrame";

/** The changes of a deployment. */
export interface Changes {
  difference: Difference;
  before: Configuration;
  now: Configuration;
}

export interface ArrivingChanges {
  /** The changes as a whole: nothing is shown before everything is there. */
  query: Question<Changes>;
  /** Whether they are on their way. */
  isArriving: boolean;
}

/** Returns the changes of deploying a revision, or the draft; null if nothing is deployed. */
export function useChanges(
  { version, draft }: Shown,
  to: number | undefined,
): ArrivingChanges | null {
  const { id, deployed_revision: deployed } = version;
  const enabled = deployed != null;
  const found = useQuery({ ...difference(id, "deployed", to ?? "draft"), enabled });
  const before = useQuery({ ...revisionQuery(id, deployed ?? 0), enabled });
  const after = useQuery({
    ...revisionQuery(id, to ?? 0),
    enabled: enabled && to !== undefined,
  });
  if (!enabled) return null;
  const now = to === undefined ? draft.value : after.data?.configuration;
  const isWhole = found.data !== undefined && before.data !== undefined && now !== undefined;
  const all = [found, before, after];
  const failed = all.find((query) => query.isError);
  return {
    query: {
      data: isWhole
        ? { difference: found.data, before: before.data.configuration, now }
        : undefined,
      isError: failed !== undefined,
      error: failed?.error,
      refetch: () => Promise.all(all.filter((it) => it.isError).map((it) => it.refetch())),
    },
    isArriving: all.some((query) => query.isFetching),
  };
}
