// The effects of a document that replaces that of a draft, before it is saved.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReplacementChoice, replacement } from "../../api/queries/documents";
import type { Source } from "../../api/queries/imports";
import { Problem } from "../../api/problem";
import { sentence } from "../../text/sentence";
import { NOT_BY_DOCUMENT } from "../import/SecurityChoice";

export const NO_CHOICE: ReplacementChoice = {
  ...NOT_BY_DOCUMENT,
  isUpstreamProposed: false,
  isFollowing: false,
};

/** Returns the effects of a document on the draft with this entity tag. */
export function useReplacement(
  id: string,
  source: Source,
  choice: ReplacementChoice,
  draft: string,
) {
  // The choices that there are do not depend on those made.
  const proposed = useQuery(replacement(id, source, NO_CHOICE, draft)).data?.value;
  // The upstream changes no difference, so they stay on the page if it is refused.
  const comparison = useQuery({
    ...replacement(id, source, { ...choice, isUpstreamProposed: false }, draft),
    placeholderData: keepPreviousData,
  });
  const { isUpstreamProposed } = choice;
  const judged = useQuery({
    ...replacement(id, source, choice, draft),
    enabled: isUpstreamProposed,
  });
  const problem = isUpstreamProposed && judged.isError ? Problem.from(judged.error) : undefined;
  const general = comparison.isError ? undefined : problem?.message;
  const fault = problem?.faultAt("/upstream") ?? general;
  return {
    proposed,
    comparison,
    /** Why the proposed upstream cannot be taken. */
    upstreamFault: fault === undefined ? undefined : sentence(fault),
    isFetching: comparison.isFetching || judged.isFetching,
  };
}
