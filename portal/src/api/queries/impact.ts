// The impact of a change: the response of a dry run.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Answered, content } from "../client";
import { Problem } from "../problem";

export type DefaultChange = components["schemas"]["DefaultChange"];
/** The counts; of steps and deletions of versions, also the change of the default version. */
export type Impact = components["schemas"]["Impact"] & { default?: DefaultChange | null };

/** Returns the counts of a dry run; other responses of the operation are those of the change. */
async function impact<T>(answered: Promise<Answered<T>>): Promise<Impact> {
  const answer: unknown = await content(answered);
  if (!isImpact(answer)) throw Problem.from(new Error("the response is not that of a dry run"));
  return answer;
}

/** Query for the impact of a change, refetched each time it is shown. */
export function impactQuery<T>(id: string, change: string, tried: () => Promise<Answered<T>>) {
  const queryKey = ["impact", id, change];
  return queryOptions({ queryKey, queryFn: () => impact(tried()), staleTime: 0 });
}

/** Returns what a change created, for an operation that can also be a dry run. */
export async function madeBy<T>(answered: Promise<Answered<T>>): Promise<Exclude<T, Impact>> {
  const answer = await content(answered);
  if (isImpact(answer)) throw Problem.from(new Error("the response is that of a dry run"));
  return answer as Exclude<T, Impact>;
}

/** Checks whether a response is that of a dry run, not of the change itself. */
function isImpact(answer: unknown): answer is Impact {
  return typeof answer === "object" && answer !== null && "calls_last_day" in answer;
}
