import type { Role } from "../api/session";

/** A page was opened by somebody who lacks the role for it. */
export class Forbidden extends Error {
  readonly role: Role;

  constructor(role: Role) {
    super(`the page is for people with the role ${role}`);
    this.name = "Forbidden";
    this.role = role;
  }
}
