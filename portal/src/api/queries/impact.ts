// What a change would touch: the answer of a dry run.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Answered, content } from "../client";
import { Problem } from "../problem";

export type Impact = components["schemas"]["Impact"];

/** The counts of a dry run; other answers of the same operation are those of the change itself. */
async function impact<T>(answered: Promise<Answered<T>>): Promise<Impact> {
  const answer: unknown = await content(answered);
  if (!isImpact(answer)) throw Problem.from(new Error("the answer is not that of a dry run"));
  return answer;
}

/** The question what a change would touch: asked anew each time that it is looked at. */
export function impactQuery<T>(id: string, change: string, tried: () => Promise<Answered<T>>) {
  const queryKey = ["impact", id, change];
  return queryOptions({ queryKey, queryFn: () => impact(tried()), staleTime: 0 });
}

/** What a change has made, of an operation that can be a dry run too. */
export async function madeBy<T>(answered: Promise<Answered<T>>): Promise<Exclude<T, Impact>> {
  const answer = await content(answered);
  if (isImpact(answer)) throw Problem.from(new Error("the answer is that of a dry run"));
  return answer as Exclude<T, Impact>;
}

/** Whether an answer tells what a change would touch, and not what the change has made. */
function isImpact(answer: unknown): answer is Impact {
  return typeof answer === "object" && answer !== null && "calls_last_day" in answer;
}
