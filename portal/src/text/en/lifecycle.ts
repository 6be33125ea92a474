// Texts of a version's lifecycle: the picture and the dialogs of its arrows, deprecation, deletion.

const counted = (n: string, noun: string) => (n === "1" ? `1 ${noun}` : `${n} ${noun}s`);

const subscriptions = (subscriptions: string, applications: string) =>
  `${counted(subscriptions, "subscription")} of ${counted(applications, "application")}`;

export const lifecycleWords = {
  title: "Lifecycle",
  states: {
    created: "A draft: nobody can call it, and it is not in the catalogue.",
    prototyped: "A prototype: anyone can call it without a subscription, to try it out.",
    published: "Listed in the catalogue; applications that subscribe can call it.",
    blocked: "Calls are refused and nobody can subscribe; subscriptions are kept.",
    deprecated: "Calls are served, but nobody can subscribe any more.",
    retired: "Permanently removed from service.",
  },
  colon: (verb: string) => `${verb}: `,
  first: "First:",
  needs: {
    operation: "add or enable an operation",
    upstream: "set an upstream",
    plan: "choose a plan",
    tokens: "accept another credential than access tokens",
  },
  fates: {
    end: (n: string, applications: string) => `ends ${subscriptions(n, applications)}; `,
    keep: (n: string, applications: string) => `keeps ${subscriptions(n, applications)}; `,
  },
  details: "Details",
  path: "Path",
  revision: "Served revision",
  changed: "Last change",
  default: "Default version",
  isDefault: "also served without the version in the path",
  isNot: "not served without the version in the path",
};

export const moveWords = {
  note: "Reason",
  noteHint: "Optional; shown in the history",
  unblock: "Calls are served again within a second. Subscriptions and keys were kept.",
  undeprecate:
    "It is listed in the catalogue again and accepts subscriptions. Its responses no longer announce an end.",
  missing: "It cannot enter this state yet",
  created: {
    button: "Revert to draft…",
    confirm: "Revert to draft",
    effect: "nobody can call it any more",
    title: (version: string) => `Revert ${version} to a draft?`,
    lead: "Calls are refused from then on, and all its subscriptions end at once.",
    done: "It is a draft again.",
  },
  prototyped: {
    button: "Prototype…",
    confirm: "Make a prototype",
    effect: "anyone can call it without a subscription",
    title: (version: string) => `Make ${version} a prototype?`,
    lead: "Anyone can call it without a subscription, within the limits of the plan “anonymous”.",
    done: "It is a prototype.",
  },
  published: {
    button: "Publish…",
    confirm: "Publish",
    effect: "listed in the catalogue, open for subscriptions",
    title: (version: string) => `Publish ${version}?`,
    lead: "It is listed in the catalogue, and applications that subscribe can call it. If nothing is deployed yet, the draft becomes its first revision.",
    done: "It is published.",
  },
  blocked: {
    button: "Block…",
    confirm: "Block",
    effect: "calls are refused until it is published again",
    title: (version: string) => `Block ${version}?`,
    lead: "Calls are refused within a second, and nobody can subscribe. Subscriptions and keys are kept; publish it again to serve calls.",
    done: "It is blocked.",
  },
  deprecated: {
    button: "Deprecate…",
    confirm: "Deprecate",
    effect: "no new subscriptions; responses announce its end",
    title: (version: string) => `Deprecate ${version}?`,
    lead: "It leaves the catalogue unless deprecated versions are shown, and nobody can subscribe any more. Calls are served, and each response announces the end and the successor in the header fields Deprecation, Sunset and Link. Nothing ends by itself.",
    done: "It is deprecated.",
  },
  retired: {
    button: "Retire…",
    confirm: "Retire",
    effect: "calls get 404, permanently",
    title: (version: string) => `Retire ${version}?`,
    lead: "Calls get 404 from then on, and all its subscriptions end at once. This cannot be undone.",
    done: "It is retired.",
  },
  default: {
    label: "Default version",
    hint: "Served if the path names no version",
    kept: (version: string) => `${version}, as until now`,
    none: "None: the path must name a version",
    make: (version: string) => `Make ${version} the default version`,
    makeConfirm: "Make default",
    makeTitle: (version: string) => `Make ${version} the default version?`,
    makeLead: (previous: string) =>
      `Calls without a version in the path go to it instead of ${previous} within a second.`,
    makeFirst: "Calls without a version in the path go to it within a second; now they get 404.",
    next: (context: string, version: string) =>
      `${version} is served at ${context}/… if the path names no version.`,
    /** The next default version cannot be called. */
    until: {
      created: (context: string) =>
        `It is a draft: calls of ${context}/… get 404 if the path names no version, until it is published.`,
      blocked: (context: string) =>
        `It is blocked: calls of ${context}/… are refused if the path names no version, until it is published again.`,
    },
    nobody: (context: string) => `Calls of ${context}/… get 404 if the path names no version.`,
    lacking: (n: string, previous: string, next: string) =>
      `${counted(n, "application")} subscribed to ${previous} but not to ${next}: calls without a version in the path are refused.`,
    lackingPath: (n: string, previous: string) =>
      `${counted(n, "application")} subscribed to ${previous} can no longer call it without a version in the path:`,
    /** The previous default version cannot be called any more. */
    lackingAll: (n: string, previous: string) =>
      `${counted(n, "application")} subscribed to ${previous} can no longer call it at all:`,
    effect: "Calls without a version in the path",
    stays: "The default version does not change.",
    applications: "Applications without a subscription to the default version",
    application: (name: string, owner: string) => `${name} of ${owner}`,
    more: (n: string) => `and ${n} more`,
  },
  older: {
    from: "Take over subscriptions",
    fromHint:
      "Copied with plan and status. Limits per subscription, API or operation start from zero for them; limits per application, user or address go on. The subscriptions to the other version stay, so each application has both until they end",
    nobody: "None: applications subscribe themselves",
    ofVersion: (version: string, n: string) => `${counted(n, "subscription")} of ${version}`,
    deprecate: "Deprecate in the same step, with this version as the successor",
  },
};

export const deprecationFormWords = {
  title: "Deprecation",
  edit: "Edit…",
  editTitle: (version: string) => `Deprecation of ${version}`,
  saved: "Saved. Responses announce it.",
  since: "Since",
  sunset: "Announced end",
  sunsetHint: (zone: string) => `Optional; time zone: ${zone}. Nothing ends by itself`,
  noSunset: "not announced",
  successor: "Successor",
  noSuccessor: "none",
  text: "Text for its callers",
  textHint: "Optional; shown beside the countdown",
  callers: {
    title: "Who still calls it",
    note: "Calls of the last 7 days, and applications that are subscribed",
    application: "Application",
    owner: "Owner",
    plan: "Plan",
    calls: "Calls",
    none: "no calls",
    noApplication: "without an application",
    notSubscribed: "not subscribed",
    nobody: "Nobody: no calls in the last 7 days, and no subscriptions.",
    more: (n: string) => `And ${n} more.`,
    all: "All subscriptions",
  },
};

export const deleteVersionWords = {
  button: "Delete…",
  of: (version: string) => `Delete ${version}`,
  title: (version: string) => `Delete ${version}?`,
  confirm: "Delete",
  lead: "Its revisions, documents and history are deleted; its usage stays. This cannot be undone.",
  done: (version: string) => `${version} is deleted.`,
};
