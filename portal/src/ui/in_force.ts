import { Problem } from "../api/problem";
import { text } from "../text/text";
import { notify } from "./Notices";

/**
 * Waits for a change that gateways apply, then shows a notice: `words`, or that a gateway lags,
 * which is not a failure because the change is saved.
 */
export async function inForce(change: Promise<unknown>, words: string): Promise<void> {
  try {
    await change;
    notify(words);
  } catch (error) {
    if (!Problem.from(error).isBehind) throw error;
    notify(text.ui.behind, "warning");
  }
}
