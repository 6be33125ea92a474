import { ROLES } from "../../api/queries/users";
import type { Role } from "../../api/session";
import { text } from "../../text/text";
import type { Choice } from "../../ui/Field";

/** The selectable roles, each with a description. */
export const ROLE_CHOICES: readonly Choice<Role>[] = ROLES.map((role) => ({
  value: role,
  label: text.nouns.roles[role],
  detail: text.admin.users.may[role],
}));

/** Returns the roles of the selected checkboxes. */
export const rolesOf = (ticked: readonly string[]): Role[] =>
  ROLES.filter((role) => ticked.includes(role));
