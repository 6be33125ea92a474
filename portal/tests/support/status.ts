// Statuses of subscriptions that no request leads to: no plan needs approval, so a subscription
// that is pending or rejected is one of an earlier release.

import { execFileSync } from "node:child_process";
import type { components } from "../../src/api/schema";
import { type Tollgate, example } from "./tollgate";

type Status = components["schemas"]["SubscriptionStatus"];

/** Sets the status of a subscription in the database, which needs the program to be stopped. */
export async function setStatus(
  tollgate: Tollgate,
  subscription: string,
  status: Status,
): Promise<void> {
  await tollgate.halt();
  execFileSync(example("set_status"), [`${tollgate.data}/tollgate.db`, subscription, status]);
  await tollgate.resume();
}
