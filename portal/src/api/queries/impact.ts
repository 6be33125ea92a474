// What a change would touch: the answer of a dry run.

import type { components } from "../schema";
import { type Answered, content } from "../client";
import { Problem } from "../problem";

export type Impact = components["schemas"]["Impact"];

/** The counts of a dry run; other answers of the same operation are those of the change itself. */
export async function impact(answered: Promise<Answered<object>>): Promise<Impact> {
  const answer = await content(answered);
  if (!isImpact(answer)) throw Problem.from(new Error("the answer is not that of a dry run"));
  return answer;
}

function isImpact(answer: object | undefined): answer is Impact {
  return answer !== undefined && "calls_last_day" in answer && "credentials" in answer;
}
