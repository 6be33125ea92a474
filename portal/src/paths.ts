// Every address of the portals. Pages link through these, so a route is renamed in one place.
// Paths contain ids, so links survive renames; filters, tabs and cursors are search
// parameters.

import type { RevisionsSearch } from "./api/queries/revisions";
import type { SubscribersSearch } from "./api/queries/subscribers";
import type { OperationsSearch } from "./publisher/versions/operations_search";
import type { Range } from "./charts/ranges";

/** Identifies a call or a refusal to explain. */
export interface ExplainSearch {
  /** A request id. */
  call?: string;
  code?: string;
  application?: string;
}

export const paths = {
  signIn: (from?: string) =>
    ({ to: "/sign-in", search: from === undefined ? {} : { from } }) as const,
  changePassword: () => ({ to: "/sign-in/password" }) as const,
  account: () => ({ to: "/account" }) as const,
  accessTokens: () => ({ to: "/account/access-tokens" }) as const,

  catalogue: () => ({ to: "/" }) as const,
  version: (version: string) => ({ to: "/apis/$version", params: { version } }) as const,
  reference: (version: string) =>
    ({ to: "/apis/$version/reference", params: { version } }) as const,
  operation: (version: string, operation: string) =>
    ({ to: "/apis/$version/reference/$operation", params: { version, operation } }) as const,
  applications: () => ({ to: "/applications" }) as const,
  application: (application: string, search: { range?: Range } = {}) =>
    ({ to: "/applications/$application", params: { application }, search }) as const,
  applicationKeys: (application: string) =>
    ({ to: "/applications/$application/keys", params: { application } }) as const,
  applicationClients: (application: string) =>
    ({ to: "/applications/$application/clients", params: { application } }) as const,
  applicationBasicUsers: (application: string) =>
    ({ to: "/applications/$application/basic-users", params: { application } }) as const,
  applicationSubscriptions: (application: string) =>
    ({ to: "/applications/$application/subscriptions", params: { application } }) as const,
  applicationUsage: (application: string, search: { range?: Range } = {}) =>
    ({ to: "/applications/$application/usage", params: { application }, search }) as const,
  applicationLimits: (application: string) =>
    ({ to: "/applications/$application/limits", params: { application } }) as const,
  explain: (search: ExplainSearch = {}) => ({ to: "/explain", search }) as const,

  ownApis: () => ({ to: "/publish" }) as const,
  /** With `api`, the document becomes a version of that API. */
  newApi: (search: { api?: string } = {}) => ({ to: "/publish/new", search }) as const,
  ownApi: (api: string) => ({ to: "/publish/apis/$api", params: { api } }) as const,
  ownApiUsage: (api: string, search: { range?: Range } = {}) =>
    ({ to: "/publish/apis/$api/usage", params: { api }, search }) as const,
  ownVersion: (version: string) =>
    ({ to: "/publish/versions/$version", params: { version } }) as const,
  versionOperations: (version: string, search: OperationsSearch = {}) =>
    ({ to: "/publish/versions/$version/operations", params: { version }, search }) as const,
  versionUpstream: (version: string) =>
    ({ to: "/publish/versions/$version/upstream", params: { version } }) as const,
  versionSecurity: (version: string) =>
    ({ to: "/publish/versions/$version/security", params: { version } }) as const,
  versionLimits: (version: string) =>
    ({ to: "/publish/versions/$version/limits", params: { version } }) as const,
  versionPolicies: (version: string) =>
    ({ to: "/publish/versions/$version/policies", params: { version } }) as const,
  versionCache: (version: string) =>
    ({ to: "/publish/versions/$version/cache", params: { version } }) as const,
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
  versionRevisions: (version: string, search: RevisionsSearch = {}) =>
    ({ to: "/publish/versions/$version/revisions", params: { version }, search }) as const,

  status: () => ({ to: "/admin" }) as const,
  signingKeys: () => ({ to: "/admin/signing-keys" }) as const,
  users: () => ({ to: "/admin/users" }) as const,
  allApplications: () => ({ to: "/admin/applications" }) as const,
  plans: () => ({ to: "/admin/plans" }) as const,
  newPlan: () => ({ to: "/admin/plans/new" }) as const,
  plan: (plan: string) => ({ to: "/admin/plans/$plan", params: { plan } }) as const,
};
