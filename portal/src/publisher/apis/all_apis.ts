import { currentSession } from "../../api/session";

/** Selects the calls of all APIs that the list may show: one's own, all for administrators. */
export function ofAllApis(): { as?: "publisher" } {
  const seesAll = currentSession()?.roles.includes("administrator") ?? false;
  return seesAll ? {} : { as: "publisher" };
}
