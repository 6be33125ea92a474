import type { components } from "../api/schema";
import { limitsInWords } from "../text/limit";
import { planTitle } from "../text/plan";
import { text } from "../text/text";
import type { Choice } from "../ui/Field";

type Plan = Pick<
  components["schemas"]["OfferedPlan"],
  "id" | "name" | "title" | "description" | "limits" | "unlimited"
>;

/** Returns the choice of a plan. */
export function planChoice(plan: Plan): Choice<string> {
  const { id, description, limits, unlimited } = plan;
  const terms = unlimited ? `${text.limitSentence.unlimited}.` : limitsInWords(limits);
  const detail = description === "" ? terms : `${terms} ${description}`;
  return { value: id, label: planTitle(plan), detail };
}
