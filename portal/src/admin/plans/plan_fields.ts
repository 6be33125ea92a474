// Fields of the form for a plan, and their mapping to a plan of the API.

import type { NewPlan, Plan } from "../../api/queries/plans";
import { limitsInWords } from "../../text/limit";
import { text } from "../../text/text";
import {
  type LimitFields,
  newLimit,
  readLimit,
  writeLimit,
  writeLimits,
} from "../../ui/limit_fields";

const words = text.admin.plans;

export interface PlanFields {
  name: string;
  title: string;
  description: string;
  limits: LimitFields[];
  /** Whether a plan without limits is intended. */
  isUnlimited: boolean;
  countsFailures: boolean;
}

export const NEW_PLAN: PlanFields = {
  name: "",
  title: "",
  description: "",
  limits: [newLimit("plan")],
  isUnlimited: false,
  countsFailures: true,
};

export function readPlan(plan: Plan): PlanFields {
  const { name, title, description, limits, unlimited, count_failures } = plan;
  return {
    name,
    title,
    description,
    limits: limits.map((limit) => readLimit(limit, "plan")),
    isUnlimited: unlimited,
    countsFailures: count_failures,
  };
}

/** Returns the plan to save; throws a problem for limits that cannot be sent. */
export function writePlan(fields: PlanFields): NewPlan {
  const { name, title, description, limits, isUnlimited, countsFailures } = fields;
  return {
    name,
    ...(title === "" ? {} : { title }),
    description,
    limits: writeLimits(limits, "plan", "/limits"),
    unlimited: limits.length === 0 && isUnlimited,
    count_failures: countsFailures,
  };
}

/** Returns the fields in words, by their labels. */
export function planInWords(fields: PlanFields): Record<string, string> {
  const { name, title, description, limits, countsFailures } = fields;
  return {
    [words.name]: name,
    [words.planTitle]: title,
    [words.description]: description,
    [words.limits]: limitsInWords(limits.map((limit) => writeLimit(limit, "plan"))),
    [words.countFailures]: words.counted[`${countsFailures}`],
  };
}
