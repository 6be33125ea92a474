import { Problem } from "../api/problem";
import { text } from "../text/text";
import { notify } from "./Notices";

/**
 * Makes a change that gateways apply, and says that it is done: `words`, or that a gateway lags.
 * That it lags is no failure: the change is saved.
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
