import type { components } from "../api/schema";
import { count } from "../text/format";
import { text } from "../text/text";
import type { Choice } from "../ui/Field";

type Plan = Pick<
  components["schemas"]["OfferedPlan"],
  "id" | "title" | "name" | "description" | "limits" | "unlimited"
>;

/** The limits of a plan in one line. */
export function limitsOf({ limits, unlimited }: Plan): string {
  if (unlimited) return text.nouns.unlimited;
  const lines = limits.map(
    ({ amount, window, per }) =>
      `${text.nouns.limit(count(amount), window)} ${text.nouns.per[per]}`,
  );
  return lines.join(", ");
}

/** A plan to choose. */
export function planChoice(plan: Plan): Choice<string> {
  const detail = [limitsOf(plan), plan.description].filter((part) => part !== "").join(". ");
  return { value: plan.id, label: plan.title, detail };
}
