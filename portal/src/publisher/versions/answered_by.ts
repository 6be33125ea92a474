import type { UsageRow } from "../../api/queries/usage";
import { count } from "../../text/format";
import { text } from "../../text/text";

const words = text.publisher.version.usage.answered;
const ANSWERERS = ["upstream", "policy", "mock", "preflight", "gateway"] as const;

/** Returns what answered the calls of a row without a refusal, with numbers if it differs. */
export function answeredBy({ status, answered }: Pick<UsageRow, "status" | "answered">): string {
  if (status == null || !answered) return text.ui.none;
  const all = ANSWERERS.filter((it) => answered[it] > 0);
  // Earlier releases, without these numbers, had no other.
  const [first = "upstream"] = all;
  if (all.length < 2) return words[first];
  return all.map((it) => `${words[it]} (${count(answered[it])})`).join(", ");
}
