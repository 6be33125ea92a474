import type { CatalogueEntry } from "../../api/queries/catalogue";
import { currentSession } from "../../api/session";

/** Checks whether the user may subscribe to an API: publishers only to their own. */
export function maySubscribe({ mine }: Pick<CatalogueEntry, "mine">): boolean {
  const session = currentSession();
  if (!session) return false;
  return mine?.owned === true || session.roles.some((role) => role !== "publisher");
}
