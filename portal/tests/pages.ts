// Every page of the portals, for the tests of all pages, the screenshots and the budget.
// `cargo xtask tidy` rejects a route that is missing here.

import type { Page } from "playwright-core";
import { CALCULATOR, CHANGED_CALCULATOR, CHANGED_ORDERS, ORDERS } from "./support/documents";
import {
  addLimits,
  addOwnCache,
  addSteps,
  besideDraft,
  breakPage,
  cacheFaults,
  compare,
  conflict,
  dryRun,
  editAll,
  explainLatest,
  explainRule,
  fillPlan,
  firstCall,
  limitOperation,
  longestList,
  loseSession,
  make,
  oneTimePassword,
  open,
  openCache,
  openCors,
  openPurge,
  paste,
  pasteFault,
  planFaults,
  press,
  publish,
  rotate,
  send,
  sendTooOften,
  succeed,
  tenFaults,
  upstreamFaults,
} from "./states";

/** Ids of the objects created by `support/seed.ts`, by the names of route parameters. */
export interface Made {
  /** A REST API, published and in use. */
  api: string;
  version: string;
  /** One of its operations. */
  operation: string;
  /** A SOAP service, published. */
  soapApi: string;
  soapVersion: string;
  soapOperation: string;
  /** A version with undeployed changes. */
  changedVersion: string;
  /** A blocked version. */
  blockedVersion: string;
  /** A deprecated version, with a subscription and a successor. */
  deprecatedVersion: string;
  /** An API that is not published yet. */
  draftApi: string;
  draftVersion: string;
  /** An application with keys, clients, users and subscriptions. */
  application: string;
  plan: string;
  user: string;
}

export type Role = "nobody" | "newcomer" | "developer" | "publisher" | "administrator";

export interface Listed {
  /** The route, as in `src/routes.tsx`. */
  route: string;
  /** The name of its screenshot. */
  name: string;
  /** Its address, if it is not the route with the ids of created objects. */
  at?: (made: Made) => string;
  /** The role that may open it, besides administrators; `nobody`: without a session. */
  role: Role;
  /** Whether every signed-in user may open it. */
  isForAll?: true;
  /** Whether it sends no API requests, so there is no command to show. */
  sendsNoRequests?: true;
  /** Whether it lists data that grows with use. */
  isList?: true;
  /** Further states: dialogs, empty and failed states. */
  states?: readonly State[];
}

export interface State {
  name: string;
  /** Brings the open page into the state, by user actions. */
  do: (page: Page, made: Made) => Promise<void>;
  /** Console errors that are provoked on purpose. */
  provokes?: RegExp;
}

/** Returns the address of a page. */
export function addressOf({ route, at }: Listed, made: Made): string {
  if (at) return at(made);
  return route.replace(/\$(\w+)/g, (_, name: string) => {
    const id = (made as unknown as Record<string, string | undefined>)[name];
    if (id === undefined)
      throw new Error(`${route} needs \`at\`: no created object is called ${name}`);
    return id;
  });
}

/** Returns whether a user with only this role may open the page. */
export function mayOpen({ role, isForAll }: Listed, who: Role): boolean {
  const isDevelopers = role === "developer" && who === "publisher";
  return isForAll === true || role === who || isDevelopers || who === "administrator";
}

/** Selects lists and overviews: the pages that exist, empty, in a new installation. */
export const isBare = (row: Listed): boolean =>
  isInside(row) && (row.isList === true || !row.route.includes("$"));

/** Selects pages for signed-in users. */
export const isInside = ({ role }: Listed): boolean => role !== "nobody" && role !== "newcomer";

/** Selects pages with figures of calls. */
export const isUsage = ({ name }: Listed): boolean =>
  name.endsWith("-usage") || name === "own-apis";

export const pages: readonly Listed[] = [
  { route: "/sign-in", name: "sign-in", role: "nobody" },
  { route: "/sign-in/password", name: "change-password", role: "newcomer" },
  {
    route: "/account",
    name: "account",
    role: "developer",
    isForAll: true,
    sendsNoRequests: true,
    states: [{ name: "as-command", do: press("Show as command") }],
  },
  {
    route: "/account/access-tokens",
    name: "access-tokens",
    role: "developer",
    isForAll: true,
    isList: true,
    states: [
      { name: "make", do: press("Create token") },
      { name: "made", do: make("Create token", { "Token name": "pipeline" }) },
      { name: "lost-session", do: loseSession, provokes: /status of 401 / },
      { name: "revoke", do: press("Revoke") },
    ],
  },
  {
    route: "/",
    name: "catalogue",
    role: "developer",
    isForAll: true,
    isList: true,
    states: [
      { name: "no-hit", do: open("/?q=nothing-of-the-kind") },
      { name: "deprecated", do: open("/?deprecated=shown") },
      { name: "not-found", do: open("/nothing-is-here") },
    ],
  },
  {
    route: "/apis/$version",
    name: "version",
    role: "developer",
    isForAll: true,
    states: [
      { name: "get-key", do: press("Get a key") },
      { name: "first-call", do: firstCall },
    ],
  },
  {
    route: "/apis/$version",
    name: "version-deprecated",
    at: ({ deprecatedVersion }) => `/apis/${deprecatedVersion}`,
    role: "developer",
    isForAll: true,
  },
  {
    route: "/apis/$version/reference",
    name: "reference",
    // It shows the first operation; its page has the same title.
    at: ({ changedVersion }) => `/apis/${changedVersion}/reference`,
    role: "developer",
    isForAll: true,
    states: [{ name: "limited", do: sendTooOften, provokes: /status of 429 / }],
  },
  {
    route: "/apis/$version/reference/$operation",
    name: "operation",
    role: "developer",
    isForAll: true,
    states: [
      { name: "sent", do: send("somebody") },
      { name: "refused", do: send("nobody"), provokes: /status of 401 / },
    ],
  },
  {
    route: "/apis/$version/reference/$operation",
    name: "soap-operation",
    at: ({ soapVersion, soapOperation }) => `/apis/${soapVersion}/reference/${soapOperation}`,
    role: "developer",
    isForAll: true,
    states: [{ name: "sent", do: send("somebody") }],
  },
  {
    route: "/applications",
    name: "applications",
    role: "developer",
    isList: true,
    states: [
      { name: "make", do: press("Create application") },
      { name: "not-mine", do: open("/publish") },
    ],
  },
  {
    route: "/applications/$application",
    name: "application",
    role: "developer",
    isList: true,
    states: [
      { name: "edit", do: press("Edit") },
      { name: "delete", do: press("Delete") },
    ],
  },
  {
    route: "/applications/$application/keys",
    name: "application-keys",
    role: "developer",
    isList: true,
    states: [
      { name: "make", do: press("Create key") },
      { name: "made", do: make("Create key", { Name: "till" }) },
      { name: "rotate", do: press("Rotate") },
      { name: "rotated", do: rotate },
      { name: "change", do: press("Change") },
      { name: "revoke", do: press("Revoke") },
    ],
  },
  {
    route: "/applications/$application/clients",
    name: "application-clients",
    role: "developer",
    isList: true,
    states: [
      { name: "make", do: press("Create client") },
      { name: "made", do: make("Create client", { Name: "server" }) },
      { name: "rotate", do: press("Rotate") },
      { name: "rotated", do: rotate },
      { name: "change", do: press("Change") },
      { name: "void-tokens", do: press("Invalidate tokens") },
      { name: "revoke", do: press("Revoke") },
    ],
  },
  {
    route: "/applications/$application/basic-users",
    name: "application-basic-users",
    role: "developer",
    isList: true,
    states: [
      { name: "make", do: press("Create user") },
      {
        name: "made",
        do: make("Create user", { Name: "old till", "User name in calls": "till" }),
      },
      { name: "rotate", do: press("Rotate") },
      { name: "rotated", do: rotate },
      { name: "change", do: press("Change") },
      { name: "revoke", do: press("Revoke") },
    ],
  },
  {
    route: "/applications/$application/subscriptions",
    name: "application-subscriptions",
    role: "developer",
    isList: true,
    states: [
      { name: "move", do: press("Move to") },
      { name: "change-plan", do: press("Change plan") },
      { name: "leave", do: press("Unsubscribe") },
    ],
  },
  {
    route: "/applications/$application/usage",
    name: "application-usage",
    role: "developer",
    isList: true,
  },
  {
    route: "/explain",
    name: "explain",
    at: ({ application }) => `/explain?code=authenticate.invalid&application=${application}`,
    role: "developer",
    isList: true,
    states: [
      { name: "refused", do: explainLatest(true) },
      { name: "answered", do: explainLatest(false) },
      { name: "fault", do: pasteFault },
      { name: "broken", do: breakPage, provokes: /status of 404 |imported module/ },
    ],
  },
  {
    route: "/publish",
    name: "own-apis",
    role: "publisher",
    isList: true,
    states: [
      {
        name: "nothing-found",
        do: async (page) => {
          await page.getByRole("searchbox").fill("nothing is called this");
          await page.getByText("No matching APIs.").waitFor();
        },
      },
    ],
  },
  {
    route: "/publish/new",
    name: "new-api",
    role: "publisher",
    sendsNoRequests: true,
    states: [
      { name: "openapi", do: paste(ORDERS.replace("title: Orders", "title: Invoicing")) },
      { name: "new-version", do: paste(CHANGED_ORDERS) },
      { name: "wsdl", do: paste(CALCULATOR) },
      { name: "published", do: publish },
      { name: "fault", do: paste("openapi: 3.1.0\ninfo: {\npaths: }"), provokes: /status of 422 / },
    ],
  },
  {
    route: "/publish/new",
    name: "new-version",
    at: ({ api }) => `/publish/new?api=${api}`,
    role: "publisher",
    sendsNoRequests: true,
    states: [{ name: "previewed", do: paste(CHANGED_ORDERS) }],
  },
  {
    route: "/publish/apis/$api",
    name: "own-api",
    role: "publisher",
    isList: true,
    states: [
      { name: "edit", do: press("Edit…") },
      { name: "new-version", do: press("New version…") },
      { name: "succeed", do: succeed },
      { name: "make-default", do: besideDraft("the default version") },
      { name: "delete-version", do: besideDraft("Delete") },
      { name: "delete", do: press("Delete…"), provokes: /status of 409 / },
    ],
  },
  {
    route: "/publish/apis/$api/usage",
    name: "own-api-usage",
    role: "publisher",
    isList: true,
  },
  {
    route: "/publish/versions/$version",
    name: "own-version",
    role: "publisher",
    states: [
      { name: "block", do: press("Block…") },
      { name: "demote", do: press("Revert to draft…") },
      { name: "deprecate", do: press("Deprecate…") },
      { name: "try", do: press("Try it") },
    ],
  },
  {
    route: "/publish/versions/$version",
    name: "own-version-changed",
    at: ({ changedVersion }) => `/publish/versions/${changedVersion}`,
    role: "publisher",
    states: [
      { name: "deploy", do: press("Deploy") },
      { name: "roll-back", do: press("Roll back… to revision 1") },
    ],
  },
  {
    route: "/publish/versions/$version",
    name: "own-version-blocked",
    at: ({ blockedVersion }) => `/publish/versions/${blockedVersion}`,
    role: "publisher",
    states: [{ name: "publish", do: press("Publish…") }],
  },
  {
    route: "/publish/versions/$version",
    name: "own-version-draft",
    at: ({ draftVersion }) => `/publish/versions/${draftVersion}`,
    role: "publisher",
  },
  {
    route: "/publish/versions/$version",
    name: "own-version-deprecated",
    at: ({ deprecatedVersion }) => `/publish/versions/${deprecatedVersion}`,
    role: "publisher",
    states: [
      { name: "edit", do: press("Edit…") },
      { name: "retire", do: press("Retire…") },
    ],
  },
  {
    route: "/publish/versions/$version/operations",
    name: "own-version-operations",
    at: ({ changedVersion }) => `/publish/versions/${changedVersion}/operations`,
    role: "publisher",
    states: [
      { name: "edit", do: press("Edit POST /invoices") },
      { name: "edit-many", do: editAll },
      {
        name: "no-hit",
        do: async (page) => {
          await page.getByRole("searchbox").fill("nothing is called this");
          await page.getByText("No matching operations.").waitFor();
        },
      },
    ],
  },
  {
    route: "/publish/versions/$version/operations",
    name: "own-version-soap-operations",
    at: ({ soapVersion }) => `/publish/versions/${soapVersion}/operations`,
    role: "publisher",
    states: [
      { name: "edit", do: press("Edit Add") },
      { name: "edit-outside", do: press("Edit calls outside the contract") },
    ],
  },
  {
    route: "/publish/versions/$version/upstream",
    name: "own-version-upstream",
    role: "publisher",
    states: [
      { name: "conflict", do: conflict, provokes: /status of 412 / },
      { name: "failed-save", do: upstreamFaults, provokes: /status of 422 / },
    ],
  },
  { route: "/publish/versions/$version/security", name: "own-version-security", role: "publisher" },
  {
    route: "/publish/versions/$version/limits",
    name: "own-version-limits",
    role: "publisher",
    states: [
      { name: "added", do: addLimits },
      { name: "operation", do: limitOperation },
    ],
  },
  {
    route: "/publish/versions/$version/policies",
    name: "own-version-policies",
    role: "publisher",
    states: [
      { name: "menu", do: press("Add step") },
      { name: "steps", do: addSteps },
      { name: "cors", do: openCors },
      { name: "dry-run", do: dryRun },
      { name: "operations", do: press("Steps for some operations…") },
      { name: "ten-faults", do: tenFaults, provokes: /status of 422 / },
      { name: "longest", do: longestList },
    ],
  },
  {
    route: "/publish/versions/$version/policies",
    name: "own-version-soap-policies",
    at: ({ soapVersion }) => `/publish/versions/${soapVersion}/policies`,
    role: "publisher",
    states: [{ name: "menu", do: press("Add step") }],
  },
  {
    route: "/publish/versions/$version/cache",
    name: "own-version-cache",
    role: "publisher",
    states: [
      { name: "on", do: openCache },
      { name: "add", do: press("Add operations…") },
      { name: "own", do: addOwnCache },
      { name: "purge", do: openPurge },
      { name: "faults", do: cacheFaults, provokes: /status of 422 / },
    ],
  },
  {
    route: "/publish/versions/$version/cache",
    name: "own-version-soap-cache",
    at: ({ soapVersion }) => `/publish/versions/${soapVersion}/cache`,
    role: "publisher",
  },
  { route: "/publish/versions/$version/plans", name: "own-version-plans", role: "publisher" },
  {
    route: "/publish/versions/$version/subscriptions",
    name: "own-version-subscriptions",
    role: "publisher",
    isList: true,
    states: [{ name: "block", do: press("Block the subscription of Shop front") }],
  },
  {
    route: "/publish/versions/$version/subscriptions",
    name: "own-version-scopes",
    at: ({ changedVersion }) => `/publish/versions/${changedVersion}/subscriptions`,
    role: "publisher",
    states: [{ name: "grant", do: press("Scopes of Shop front") }],
  },
  {
    route: "/publish/versions/$version/usage",
    name: "own-version-usage",
    role: "publisher",
    isList: true,
  },
  {
    route: "/publish/versions/$version/document",
    name: "own-version-document",
    role: "publisher",
    states: [
      { name: "compared", do: compare(CHANGED_ORDERS) },
      { name: "rule", do: explainRule(CHANGED_ORDERS) },
      { name: "unchanged", do: paste(ORDERS) },
      { name: "fault", do: paste("openapi: 3.1.0\ninfo: {\npaths: }"), provokes: /status of 422 / },
    ],
  },
  {
    route: "/publish/versions/$version/document",
    name: "own-version-contract",
    at: ({ soapVersion }) => `/publish/versions/${soapVersion}/document`,
    role: "publisher",
    states: [{ name: "chosen", do: paste(CHANGED_CALCULATOR) }],
  },
  {
    route: "/publish/versions/$version/revisions",
    name: "own-version-revisions",
    role: "publisher",
    isList: true,
  },
  {
    route: "/publish/versions/$version/revisions",
    name: "own-version-revisions-changed",
    at: ({ changedVersion }) => `/publish/versions/${changedVersion}/revisions`,
    role: "publisher",
    states: [
      { name: "deploy", do: press("Deploy… revision 1") },
      { name: "edit-from", do: press("Edit from… revision 1") },
      { name: "delete", do: press("Delete… revision 1") },
    ],
  },
  {
    route: "/publish/versions/$version/revisions",
    name: "own-version-difference",
    at: ({ changedVersion }) => `/publish/versions/${changedVersion}/revisions?from=1&to=draft`,
    role: "publisher",
    states: [
      {
        name: "unknown",
        do: async (page, { changedVersion }) => {
          await page.goto(`/publish/versions/${changedVersion}/revisions?from=7&to=draft`);
        },
        provokes: /status of 404 /,
      },
    ],
  },
  { route: "/admin", name: "status", role: "administrator" },
  {
    route: "/admin/users",
    name: "users",
    role: "administrator",
    isList: true,
    states: [
      { name: "make", do: press("Create user") },
      { name: "one-time-password", do: oneTimePassword },
      { name: "change", do: press("Change dora") },
      {
        name: "disable",
        do: async (page) => {
          await page.getByRole("button", { name: "Change dora" }).click();
          await page.getByRole("button", { name: "Disable…" }).click();
        },
      },
      {
        name: "delete",
        do: async (page) => {
          await page.getByRole("button", { name: "Change dora" }).click();
          await page.getByRole("button", { name: "Delete…" }).click();
        },
        provokes: /status of 409 /,
      },
    ],
  },
  {
    route: "/admin/plans",
    name: "plans",
    role: "administrator",
    isList: true,
  },
  {
    route: "/admin/plans/new",
    name: "new-plan",
    role: "administrator",
    sendsNoRequests: true,
    states: [
      { name: "filled", do: fillPlan },
      { name: "faults", do: planFaults, provokes: /status of 422 / },
    ],
  },
  {
    route: "/admin/plans/$plan",
    name: "plan",
    role: "administrator",
    states: [{ name: "delete", do: press("Delete…"), provokes: /status of 409 / }],
  },
  {
    route: "/admin/applications",
    name: "all-applications",
    role: "administrator",
    isList: true,
    states: [{ name: "no-hit", do: open("/admin/applications?q=nothing-of-the-kind") }],
  },
  {
    route: "/applications/$application/limits",
    name: "application-limits",
    role: "administrator",
    states: [{ name: "added", do: addLimits }],
  },
  {
    route: "/admin/signing-keys",
    name: "signing-keys",
    role: "administrator",
    states: [{ name: "rotate", do: press("Rotate key") }],
  },
];
