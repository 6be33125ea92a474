// Every address of the portals: pages link through these, so that a route is renamed in one place.
// Ids are in paths, since links should survive renames; filters, tabs and cursors are search parameters.

import type { OverviewSearch } from "./api/queries/overview";
import type { SubscribersSearch } from "./api/queries/subscribers";
import type { UsersSearch } from "./api/queries/users";
import type { Range } from "./api/queries/version_usage";

export const paths = {
  signIn: (from?: string) =>
    ({ to: "/sign-in", search: from === undefined ? {} : { from } }) as const,
  changePassword: () => ({ to: "/sign-in/password" }) as const,
  account: () => ({ to: "/account" }) as const,
  accessTokens: () => ({ to: "/account/access-tokens" }) as const,

  catalogue: () => ({ to: "/" }) as const,

  ownApis: (search: OverviewSearch = {}) => ({ to: "/publish", search }) as const,
  newApi: () => ({ to: "/publish/new" }) as const,
  ownApi: (api: string) => ({ to: "/publish/apis/$api", params: { api } }) as const,
  ownVersion: (version: string) =>
    ({ to: "/publish/versions/$version", params: { version } }) as const,
  versionUpstream: (version: string) =>
    ({ to: "/publish/versions/$version/upstream", params: { version } }) as const,
  versionSecurity: (version: string) =>
    ({ to: "/publish/versions/$version/security", params: { version } }) as const,
  versionPlans: (version: string) =>
    ({ to: "/publish/versions/$version/plans", params: { version } }) as const,
  versionSubscriptions: (version: string, search: SubscribersSearch = {}) =>
    ({ to: "/publish/versions/$version/subscriptions", params: { version }, search }) as const,
  versionUsage: (version: string, range?: Range) =>
    ({
      to: "/publish/versions/$version/usage",
      params: { version },
      search: range === undefined ? {} : { range },
    }) as const,
  versionDocument: (version: string) =>
    ({ to: "/publish/versions/$version/document", params: { version } }) as const,

  status: () => ({ to: "/admin" }) as const,
  users: (search: UsersSearch = {}) => ({ to: "/admin/users", search }) as const,
};
