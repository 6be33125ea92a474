// Every page of the portals: what the tests of all pages, the screenshots and the budget go through.
// `cargo xtask tidy` refuses a route that is missing here.

/** Ids of what the tests have made, to put into addresses. */
export interface Made {
  version: string;
  application: string;
  api: string;
}

export interface Listed {
  /** The route as `src/routes.tsx` has it. */
  route: string;
  /** The name of its screenshot. */
  name: string;
  /** Its address. */
  at: (made: Made) => string;
  /** The strongest role that it is for; `nobody`: without a session. */
  role: "nobody" | "newcomer" | "developer" | "publisher" | "administrator";
}

export const pages: readonly Listed[] = [
  { route: "/sign-in", name: "sign-in", at: () => "/sign-in", role: "nobody" },
  { route: "/sign-in/password", name: "change-password", at: () => "/sign-in/password", role: "newcomer" },
  { route: "/account", name: "account", at: () => "/account", role: "developer" },
  { route: "/account/access-tokens", name: "access-tokens", at: () => "/account/access-tokens", role: "developer" },
  { route: "/", name: "catalogue", at: () => "/", role: "developer" },
  { route: "/admin", name: "status", at: () => "/admin", role: "administrator" },
];
