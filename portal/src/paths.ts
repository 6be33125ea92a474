// Every address of the portals: pages link through these, so that a route is renamed in one place.
// Ids are in paths, since links should survive renames; filters, tabs and cursors are search parameters.

export const paths = {
  signIn: (from?: string) =>
    ({ to: "/sign-in", search: from === undefined ? {} : { from } }) as const,
  changePassword: () => ({ to: "/sign-in/password" }) as const,
  account: () => ({ to: "/account" }) as const,
  accessTokens: () => ({ to: "/account/access-tokens" }) as const,

  catalogue: () => ({ to: "/" }) as const,

  status: () => ({ to: "/admin" }) as const,
};
