// The dry run of a step or a deletion while its choices change: the result of the last one stays
// until the next one arrives, so nothing vanishes and comes back.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem";
import type { DefaultChange, impactQuery } from "../../api/queries/impact";
import { type TriedMove, impactOfMove } from "../../api/queries/lifecycle";
import { type Need, needOfFault } from "./arrows";

type ImpactQuery = ReturnType<typeof impactQuery>;

/** The query of a dry run that shows the previous counts while those of a new choice arrive. */
export const keepingCounts = (impact: ImpactQuery) => ({
  ...impact,
  placeholderData: keepPreviousData,
});

export interface Tried {
  /** Number of subscriptions; undefined if the dry run failed. */
  subscriptions: number | undefined;
  /** How it changes the default version; undefined if it does not. */
  defaultChange: DefaultChange | null | undefined;
  /** Everything that the step lacks. */
  needs: readonly Need[];
  /** Whether the step cannot be made, even if access tokens are not needed. */
  isRefused: boolean;
  /** Why the dry run failed; null if it did not. */
  error: Error | null;
  /** Whether this is the result of the previous choices: the next one is on its way. */
  isTrying: boolean;
  retry: () => void;
}

/** Returns the result of the last dry run; undefined until the first one has arrived or failed. */
export function useTried(impact: ImpactQuery, enabled = true): Tried | undefined {
  const query = useQuery({ ...keepingCounts(impact), enabled });
  const [last, setLast] = useState<Pick<typeof query, "data" | "error">>();
  const { data, error } = query;
  const isSettled = !query.isPending && !query.isPlaceholderData;
  if (isSettled && (last?.data !== data || last?.error !== error)) setLast({ data, error });
  if (!last) return undefined;
  const faults = last.error === null ? [] : Problem.from(last.error).faults;
  const needs = faults.map(needOfFault).filter((need) => need !== undefined);
  return {
    subscriptions: last.data?.subscriptions,
    defaultChange: last.data?.default,
    needs,
    isRefused: needs.some((need) => need !== "tokens"),
    error: last.error,
    isTrying: query.fetchStatus !== "idle",
    retry: () => void query.refetch(),
  };
}

/**
 * Like {@link useTried}, for a step. What it changes is known also if it lacks access tokens, since
 * it can be made without them.
 */
export function useTriedMove(id: string, move: TriedMove): Tried | undefined {
  const tried = useTried(impactOfMove(id, move));
  const lacksTokens = tried !== undefined && tried.needs.length > 0 && !tried.isRefused;
  const withoutTokens = impactOfMove(id, { ...move, without_tokens: true });
  const accepted = useTried(withoutTokens, lacksTokens);
  if (!lacksTokens) return tried;
  return (
    accepted && { ...accepted, needs: tried.needs, isTrying: tried.isTrying || accepted.isTrying }
  );
}
