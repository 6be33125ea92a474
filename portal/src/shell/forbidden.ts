import type { Role } from "../api/session";

/** Thrown if the user lacks the role for a page. */
export class Forbidden extends Error {
  readonly role: Role;

  constructor(role: Role) {
    super(`the page is for people with the role ${role}`);
    this.name = "Forbidden";
    this.role = role;
  }
}
