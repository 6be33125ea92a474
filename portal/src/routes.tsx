// Every route of the portals on one page: address, who may see it, page.
//
// Pages are loaded when opened. `paths.ts` has the links, `tests/pages.ts` lists every page, and
// `cargo xtask tidy` checks that the three agree.

import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { loadSession } from "./api/queries/session";
import { APPLICATIONS_SEARCH } from "./api/queries/applications";
import { CATALOGUE_SEARCH } from "./api/queries/catalogue";
import { OVERVIEW_SEARCH } from "./api/queries/overview";
import { PLANS_SEARCH } from "./api/queries/plans";
import { REVISIONS_SEARCH } from "./api/queries/revisions";
import { SUBSCRIBERS_SEARCH } from "./api/queries/subscribers";
import { USERS_SEARCH } from "./api/queries/users";
import { RANGES } from "./charts/ranges";
import { paths } from "./paths";
import { OPERATIONS_SEARCH } from "./publisher/versions/operations_search";
import { admin, anyone, developer, publisher, root, shell, visitors } from "./route_areas";
import { oneOf, text, validated } from "./search_parameters";
import { lazyPage } from "./shell/lazy_page";

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { from?: string } =>
    typeof search["from"] === "string" ? { from: search["from"] } : {},
  component: lazyPage(() => import("./account/SignInPage"), "SignInPage"),
});

const changePassword = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/password",
  beforeLoad: async () => {
    if ((await loadSession()) === null) throw redirect(paths.signIn());
  },
  component: lazyPage(() => import("./account/ChangePasswordPage"), "ChangePasswordPage"),
});

const account = createRoute({
  getParentRoute: () => anyone,
  path: "/account",
  component: lazyPage(() => import("./account/AccountPage"), "AccountPage"),
});

const accessTokens = createRoute({
  getParentRoute: () => anyone,
  path: "/account/access-tokens",
  component: lazyPage(() => import("./account/AccessTokensPage"), "AccessTokensPage"),
});

const catalogue = createRoute({
  getParentRoute: () => visitors,
  path: "/",
  validateSearch: validated(CATALOGUE_SEARCH),
  component: lazyPage(() => import("./developer/catalogue/CataloguePage"), "CataloguePage"),
});

const version = createRoute({
  getParentRoute: () => visitors,
  path: "/apis/$version",
  component: lazyPage(() => import("./developer/version/VersionPage"), "VersionPage"),
});

const referencePage = lazyPage(() => import("./reference/ReferencePage"), "ReferencePage");

const reference = createRoute({
  getParentRoute: () => visitors,
  path: "/apis/$version/reference",
  component: referencePage,
});

const operation = createRoute({
  getParentRoute: () => visitors,
  path: "/apis/$version/reference/$operation",
  component: referencePage,
});

const range = oneOf(...RANGES);

const applications = createRoute({
  getParentRoute: () => developer,
  path: "/applications",
  validateSearch: validated(APPLICATIONS_SEARCH),
  component: lazyPage(
    () => import("./developer/applications/ApplicationsPage"),
    "ApplicationsPage",
  ),
});

const application = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application",
  validateSearch: validated({ range }),
  component: lazyPage(
    () => import("./developer/applications/ApplicationOverviewPage"),
    "ApplicationOverviewPage",
  ),
});

const applicationKeys = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application/keys",
  component: lazyPage(
    () => import("./developer/applications/ApplicationKeysPage"),
    "ApplicationKeysPage",
  ),
});

const applicationClients = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application/clients",
  component: lazyPage(
    () => import("./developer/applications/ApplicationClientsPage"),
    "ApplicationClientsPage",
  ),
});

const applicationBasicUsers = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application/basic-users",
  component: lazyPage(
    () => import("./developer/applications/ApplicationBasicUsersPage"),
    "ApplicationBasicUsersPage",
  ),
});

const applicationSubscriptions = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application/subscriptions",
  component: lazyPage(
    () => import("./developer/applications/ApplicationSubscriptionsPage"),
    "ApplicationSubscriptionsPage",
  ),
});

const applicationUsage = createRoute({
  getParentRoute: () => developer,
  path: "/applications/$application/usage",
  validateSearch: validated({ range }),
  component: lazyPage(
    () => import("./developer/applications/ApplicationUsagePage"),
    "ApplicationUsagePage",
  ),
});

const explain = createRoute({
  getParentRoute: () => developer,
  path: "/explain",
  validateSearch: validated({ call: text, code: text, application: text }),
  component: lazyPage(() => import("./developer/explain/ExplainPage"), "ExplainPage"),
});

const ownApis = createRoute({
  getParentRoute: () => publisher,
  path: "/publish",
  validateSearch: validated(OVERVIEW_SEARCH),
  component: lazyPage(() => import("./publisher/apis/ApisPage"), "ApisPage"),
});

const newApi = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/new",
  validateSearch: validated({ api: text }),
  component: lazyPage(() => import("./publisher/import/NewApiPage"), "NewApiPage"),
});

const ownApi = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/apis/$api",
  component: lazyPage(() => import("./publisher/apis/ApiPage"), "ApiPage"),
});

const ownApiUsage = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/apis/$api/usage",
  validateSearch: validated({ range }),
  component: lazyPage(() => import("./publisher/apis/ApiUsagePage"), "ApiUsagePage"),
});

const ownVersion = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version",
  component: lazyPage(
    () => import("./publisher/versions/VersionOverviewPage"),
    "VersionOverviewPage",
  ),
});

const versionOperations = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/operations",
  validateSearch: validated(OPERATIONS_SEARCH),
  component: lazyPage(
    () => import("./publisher/versions/VersionOperationsPage"),
    "VersionOperationsPage",
  ),
});

const versionUpstream = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/upstream",
  component: lazyPage(
    () => import("./publisher/versions/VersionUpstreamPage"),
    "VersionUpstreamPage",
  ),
});

const versionSecurity = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/security",
  component: lazyPage(
    () => import("./publisher/versions/VersionSecurityPage"),
    "VersionSecurityPage",
  ),
});

const versionLimits = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/limits",
  component: lazyPage(() => import("./publisher/versions/VersionLimitsPage"), "VersionLimitsPage"),
});

const versionPolicies = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/policies",
  component: lazyPage(() => import("./publisher/policies/PoliciesPage"), "PoliciesPage"),
});

const versionCache = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/cache",
  component: lazyPage(() => import("./publisher/cache/CachePage"), "CachePage"),
});

const versionPlans = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/plans",
  component: lazyPage(() => import("./publisher/versions/VersionPlansPage"), "VersionPlansPage"),
});

const versionSubscriptions = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/subscriptions",
  validateSearch: validated(SUBSCRIBERS_SEARCH),
  component: lazyPage(
    () => import("./publisher/versions/VersionSubscriptionsPage"),
    "VersionSubscriptionsPage",
  ),
});

const versionUsage = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/usage",
  validateSearch: validated({ range }),
  component: lazyPage(() => import("./publisher/versions/VersionUsagePage"), "VersionUsagePage"),
});

const versionDocument = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/document",
  component: lazyPage(
    () => import("./publisher/versions/VersionDocumentPage"),
    "VersionDocumentPage",
  ),
});

const versionRevisions = createRoute({
  getParentRoute: () => publisher,
  path: "/publish/versions/$version/revisions",
  validateSearch: validated(REVISIONS_SEARCH),
  component: lazyPage(
    () => import("./publisher/versions/VersionRevisionsPage"),
    "VersionRevisionsPage",
  ),
});

const status = createRoute({
  getParentRoute: () => admin,
  path: "/admin",
  component: lazyPage(() => import("./admin/StatusPage"), "StatusPage"),
});

const users = createRoute({
  getParentRoute: () => admin,
  path: "/admin/users",
  validateSearch: validated(USERS_SEARCH),
  component: lazyPage(() => import("./admin/users/UsersPage"), "UsersPage"),
});

const plans = createRoute({
  getParentRoute: () => admin,
  path: "/admin/plans",
  validateSearch: validated(PLANS_SEARCH),
  component: lazyPage(() => import("./admin/plans/PlansPage"), "PlansPage"),
});

const newPlan = createRoute({
  getParentRoute: () => admin,
  path: "/admin/plans/new",
  component: lazyPage(() => import("./admin/plans/NewPlanPage"), "NewPlanPage"),
});

const plan = createRoute({
  getParentRoute: () => admin,
  path: "/admin/plans/$plan",
  component: lazyPage(() => import("./admin/plans/PlanPage"), "PlanPage"),
});

const allApplications = createRoute({
  getParentRoute: () => admin,
  path: "/admin/applications",
  validateSearch: validated(APPLICATIONS_SEARCH),
  component: lazyPage(
    () => import("./admin/applications/AllApplicationsPage"),
    "AllApplicationsPage",
  ),
});

const applicationLimits = createRoute({
  getParentRoute: () => admin,
  path: "/applications/$application/limits",
  component: lazyPage(
    () => import("./developer/applications/ApplicationLimitsPage"),
    "ApplicationLimitsPage",
  ),
});

const signingKeys = createRoute({
  getParentRoute: () => admin,
  path: "/admin/signing-keys",
  component: lazyPage(() => import("./admin/SigningKeysPage"), "SigningKeysPage"),
});

const tree = root.addChildren([
  signIn,
  changePassword,
  shell.addChildren([
    anyone.addChildren([account, accessTokens]),
    visitors.addChildren([catalogue, version, reference, operation]),
    developer.addChildren([
      applications,
      application,
      applicationKeys,
      applicationClients,
      applicationBasicUsers,
      applicationSubscriptions,
      applicationUsage,
      explain,
    ]),
    publisher.addChildren([
      ownApis,
      newApi,
      ownApi,
      ownApiUsage,
      ownVersion,
      versionOperations,
      versionUpstream,
      versionSecurity,
      versionLimits,
      versionPolicies,
      versionCache,
      versionPlans,
      versionSubscriptions,
      versionUsage,
      versionDocument,
      versionRevisions,
    ]),
    admin.addChildren([
      status,
      users,
      plans,
      newPlan,
      plan,
      allApplications,
      applicationLimits,
      signingKeys,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultStructuralSharing: true,
});
