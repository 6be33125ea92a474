// Texts of the pages of one version for its publisher. A page loads only the files that it uses.

import { deployRevisionWords } from "./deploy";

export { cacheWords as cache } from "./cache";
export { deployWords as deploy } from "./deploy";
export { documentWords as document } from "./document";
export {
  deleteVersionWords as delete,
  deprecationFormWords as deprecation,
  lifecycleWords as lifecycle,
  moveWords as moves,
} from "./lifecycle";
export { versionLimitWords as limits } from "./limits";
export { operationWords as operations } from "./operations";
export { policyWords as policies } from "./policies";
export { readingWords as reading } from "./reading";
export { revisionWords as revisions } from "./revisions";

export const title = "Version";
export const tryIt = "Try it";
export const named = (api: string, version: string) => `${api} ${version}`;
export const more = "Caller identity sent to the upstream, and maximum request size.";

export const tabs = {
  label: "Version sections",
  overview: "Overview",
  operations: "Operations",
  upstream: "Upstream",
  security: "Security",
  limits: "Limits",
  policies: "Policies",
  cache: "Cache",
  plans: "Plans",
  subscriptions: "Subscriptions",
  usage: "Usage",
  document: "Document",
  revisions: "Revisions",
};

export const ready = {
  title: "Ready to publish",
  done: "Setup",
  upstream: "upstream",
  noUpstream: "not set",
  plans: "plans",
  noPlan: "none",
  document: "document",
  operations: (n: number) => (n === 1 ? "1 operation" : `${n} operations`),
  security: "security",
  open: (n: number, first: string) =>
    n === 1
      ? `one operation needs no credential: ${first}`
      : `${n} operations need no credential, including ${first}`,
};

export const history = {
  title: "History",
  empty: "Nothing yet. Publications and deployments are listed here.",
  when: "When",
  who: "Who",
  what: "Event",
  note: "Note",
  moved: (state: string) => `became ${state}`,
  deployed: (revision: number) => `deployed revision ${revision}`,
  rolledBack: (revision: number) => `rolled back to revision ${revision}`,
  difference: "Difference",
  differenceOf: (from: number, to: number) => `Difference of revisions ${from} and ${to}`,
  served: "served",
  older: {
    button: "Roll back…",
    label: (revision: number) => `Roll back… to revision ${revision}`,
  },
  newer: deployRevisionWords,
};

export const draft = {
  saved: "Saved in the draft. Callers see it once it is deployed.",
};

export const upstream = {
  production: "Upstream",
  productionNote: "Where calls with production credentials go",
  sandbox: "Sandbox upstream",
  sandboxNote: "Where calls with sandbox credentials go; without one they are refused",
  url: "Address",
  urlHints: {
    rest: "http or https, with the base path of the operations",
    service: "http or https, with the path of the service, and its query if it has one",
  },
  sandboxUrlHint: "If empty, there is no sandbox",
  more: "Certificate and time limits",
  verify: "Verify its certificate",
  verifyHint: "Trusted authority, matching host name, not expired",
  unverified: "Without verification, anyone on the network path can read and change the traffic.",
  ca: "Certificate authorities",
  caHint: "In PEM; if empty, those that the gateway's system trusts",
  connect: "Connect, ms",
  firstByte: "First byte, ms",
  idle: "Idle, ms",
  idleHint: "If empty, the gateway's default",
  noForm: "Connection limits of an upstream.",
};

export const credential = {
  kind: "How the gateway authenticates",
  none: "None: nothing is added",
  header: "A header with a secret",
  headerDetail: "Such as X-Api-Key, or Authorization with Bearer and a token",
  basic: "HTTP Basic",
  headerName: "Header",
  headerValue: "Value",
  userName: "User",
  password: "Password",
  kept: "Set. Leave empty to keep it; it cannot be read back.",
  once: "Stored encrypted; it cannot be read back",
};

const schemes = {
  api_key: {
    label: "API key",
    detail: "In a header; in the query only if a parameter is set below",
  },
  oauth2: { label: "OAuth2", detail: "Access tokens of OAuth2 clients, as Bearer" },
  basic: { label: "HTTP Basic", detail: "Users with passwords, created by applications" },
};

export const security = {
  schemes: "Caller authentication",
  schemesNote: "Changes take effect when deployed",
  taken: "Accepted credentials",
  scheme: schemes,
  require: "Each call must carry",
  any: "Any of them",
  all: "All of them",
  header: "API key header",
  query: "API key query parameter",
  queryHint: "If empty, keys in the query are not accepted: they end up in logs on the way",
  scopes: "Scopes",
  scopesNote: "Scopes that operations can require of a token",
  scopeName: "Name",
  scopeText: "What it allows",
  scopeGranted: "Granted",
  granted: {
    freely: { label: "Freely", detail: "Every client can have it" },
    by_approval: {
      label: "By approval",
      detail: "Takes effect for subscriptions that you grant it to",
    },
  },
  addScope: "Add scope",
  remove: "Remove",
  removeScope: (name: string) => `Remove the scope ${name}`,
  open: (n: number) =>
    n === 1 ? "One operation needs no credential" : `${n} operations need no credential`,
  openNote: "Anyone can call them, within the limits of the plan “anonymous”",
  noneOpen: "Every operation needs a credential.",
  toOperations: "Edit these operations",
};

export const plans = {
  title: "Available plans",
  lead: "Takes effect at once: plans are not part of the draft",
  choose: "Callers can choose",
  saved: "Saved. Callers can choose these plans now.",
  gone: (names: string) => `${names} can no longer be chosen. Existing subscriptions continue.`,
  who: "Subscriptions by plan",
  toPlans: "Create and change plans",
};

export const subscriptions = {
  title: "Subscriptions",
  search: "Search applications and owners",
  empty: "No subscriptions yet. Developers subscribe in the catalogue.",
  noHit: "No matching subscriptions.",
  application: "Application",
  owner: "Owner",
  plan: "Plan",
  status: "Status",
  since: "Since",
  reason: "Reason",
  reasonHint: "Optional; shown to the application's owner",
  scopes: "Granted scopes",
  grant: {
    button: "Scopes…",
    confirm: "Save",
    label: (name: string) => `Scopes of ${name}`,
    lead: (name: string) =>
      `Scopes by approval apply to ${name} only if you grant them. Revoking one takes effect at once, including for issued tokens.`,
    choices: "Scopes by approval",
    done: (name: string) => `The scopes of ${name} are saved.`,
  },
  which: "Which calls are refused",
  whichAll: "All calls",
  whichProduction: "Production calls only; the sandbox stays open",
  decide: {
    approve: {
      button: "Approve…",
      confirm: "Approve",
      label: (name: string) => `Approve the subscription of ${name}`,
      lead: (name: string, plan: string) => `${name} can call at once, under the plan ${plan}.`,
      done: (name: string) => `${name} can call.`,
    },
    reject: {
      button: "Reject…",
      confirm: "Reject",
      label: (name: string) => `Reject the subscription of ${name}`,
      lead: (name: string, plan: string) => `${name} cannot call under the plan ${plan}.`,
      done: (name: string) => `The subscription of ${name} is rejected.`,
    },
    block: {
      button: "Block…",
      confirm: "Block",
      label: (name: string) => `Block the subscription of ${name}`,
      lead: (name: string, plan: string) =>
        `Calls of ${name} under the plan ${plan} are refused within a second. Its keys stay valid, also for other APIs.`,
      done: (name: string) => `Calls of ${name} are refused.`,
    },
    unblock: {
      button: "Unblock…",
      confirm: "Unblock",
      label: (name: string) => `Unblock the subscription of ${name}`,
      lead: (name: string, plan: string) => `${name} can call again, under the plan ${plan}.`,
      done: (name: string) => `${name} can call again.`,
    },
  },
};

export const usage = {
  calls: "Calls",
  answers: "Responses",
  status: "Status",
  left: "client disconnected",
  why: "Reason",
  answered: {
    upstream: "answered by the upstream",
    policy: "answered by a Respond step",
    mock: "answered by a Mock step",
    preflight: "CORS preflight",
    gateway: "answered by the gateway",
  },
  cache: {
    title: "Cache",
    rate: "Cache rate",
    bytes: "Sent from the cache",
    use: "Result",
    uses: {
      none: "not cached",
      miss: "miss",
      hit: "hit",
      stale: "hit, stale",
      revalidated: "hit, revalidated",
      bypass: "bypass",
    },
  },
};
