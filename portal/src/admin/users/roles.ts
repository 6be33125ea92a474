import { ROLES } from "../../api/queries/users";
import type { Role } from "../../api/session";
import { text } from "../../text/text";
import type { Choice } from "../../ui/Field";

/** The roles to choose from, with what each may do. */
export const ROLE_CHOICES: readonly Choice<Role>[] = ROLES.map((role) => ({
  value: role,
  label: text.nouns.roles[role],
  detail: text.admin.users.may[role],
}));

/** The roles of what was ticked. */
export const rolesOf = (ticked: readonly string[]): Role[] =>
  ROLES.filter((role) => ticked.includes(role));
