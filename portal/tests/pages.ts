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
  {
    route: "/sign-in/password",
    name: "change-password",
    at: () => "/sign-in/password",
    role: "newcomer",
  },
  { route: "/account", name: "account", at: () => "/account", role: "developer" },
  {
    route: "/account/access-tokens",
    name: "access-tokens",
    at: () => "/account/access-tokens",
    role: "developer",
  },
  { route: "/", name: "catalogue", at: () => "/", role: "developer" },
  {
    route: "/apis/$version",
    name: "version",
    at: ({ version }) => `/apis/${version}`,
    role: "developer",
  },
  { route: "/applications", name: "applications", at: () => "/applications", role: "developer" },
  {
    route: "/applications/$application",
    name: "application-overview",
    at: ({ application }) => `/applications/${application}`,
    role: "developer",
  },
  {
    route: "/applications/$application/keys",
    name: "application-keys",
    at: ({ application }) => `/applications/${application}/keys`,
    role: "developer",
  },
  {
    route: "/applications/$application/clients",
    name: "application-clients",
    at: ({ application }) => `/applications/${application}/clients`,
    role: "developer",
  },
  {
    route: "/applications/$application/basic-users",
    name: "application-basic-users",
    at: ({ application }) => `/applications/${application}/basic-users`,
    role: "developer",
  },
  {
    route: "/applications/$application/subscriptions",
    name: "application-subscriptions",
    at: ({ application }) => `/applications/${application}/subscriptions`,
    role: "developer",
  },
  {
    route: "/applications/$application/usage",
    name: "application-usage",
    at: ({ application }) => `/applications/${application}/usage`,
    role: "developer",
  },
  {
    route: "/explain",
    name: "explain",
    at: ({ application }) => `/explain?code=authenticate.invalid&application=${application}`,
    role: "developer",
  },
  { route: "/admin", name: "status", at: () => "/admin", role: "administrator" },
];
