import { Problem } from "../api/problem";
import { text } from "../text/text";
import { notify } from "./Notices";

/**
 * Waits for a change that gateways apply, then shows a notice: `done`, or what it shows as a
 * function of the response, or that a gateway lags, which is not a failure because the change is
 * saved.
 */
export async function inForce<T>(
  change: Promise<T>,
  done: string | ((made: T) => void),
): Promise<void> {
  try {
    const made = await change;
    if (typeof done === "string") notify(done);
    else done(made);
  } catch (error) {
    if (!Problem.from(error).isBehind) throw error;
    notify(text.ui.behind, "warning");
  }
}
