import type { components } from "../api/schema";
import { limitInWords } from "../text/limit";
import { text } from "../text/text";
import type { Choice } from "../ui/Field";

type Plan = Pick<
  components["schemas"]["OfferedPlan"],
  "id" | "title" | "description" | "limits" | "unlimited"
>;

/** A plan to choose. */
export function planChoice({ id, title, description, limits, unlimited }: Plan): Choice<string> {
  const terms = unlimited ? text.nouns.unlimited : limits.map(limitInWords).join("; ");
  const detail = description === "" ? terms : `${terms}. ${description}`;
  return { value: id, label: title, detail };
}
