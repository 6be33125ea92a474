// Who still calls a version: its callers, then the applications that are subscribed and do not call
// it.

import type { Subscription } from "../../api/queries/subscribers";
import type { UsageRow } from "../../api/queries/usage";

export interface StillCalling {
  /** Id of the application; undefined for calls without one. */
  application: string | undefined;
  name: string | undefined;
  calls: number;
  /** Undefined if the application is not subscribed any more. */
  subscription: Subscription | undefined;
}

type Calls = Pick<UsageRow, "application" | "calls">;

/** Returns the callers in the order of the rows, then the others. */
export function callersOf(
  rows: readonly Calls[],
  subscriptions: readonly Subscription[],
): StillCalling[] {
  const byApplication = new Map(subscriptions.map((it) => [it.application, it]));
  const calling = rows
    .filter(({ calls }) => calls > 0)
    .map(({ application, calls }) => {
      const subscription = byApplication.get(application?.id ?? "");
      const name = subscription?.application_name ?? application?.name ?? application?.id;
      return { application: application?.id, name, calls, subscription };
    });
  const seen = new Set(calling.map(({ application }) => application));
  const silent = subscriptions
    .filter(({ application }) => !seen.has(application))
    .map((subscription) => {
      const { application, application_name: name } = subscription;
      return { application, name, calls: 0, subscription };
    });
  return [...calling, ...silent];
}
