// Texts of the page that explains refusals.

export const explainWords = {
  title: "Explain a refusal",
  lead: "Paste the gateway's response: the whole response, its JSON, the message, the code or the status.",
  paste: "Refusal",
  pastePlaceholder: '{"code": "authenticate.invalid", "status": 401, …}',
  application: "Calling application",
  anyApplication: "Unknown",
  explain: "Explain",
  notFound:
    "This contains no refusal code of the gateway, and no status that it refuses calls with.",
  unknown: (code: string) =>
    `“${code}” is not a refusal code of the gateway. It may come from the API's own back end: ask its publisher.`,
  other: (code: string) =>
    `“${code}” is not a code of the gateway. It comes from the control plane, the key manager or the API's back end, with this message:`,
  severalSay: "Several refusals have this message:",
  candidates: (status: string) => `The gateway returns ${status} for one of these reasons:`,
  actor: "Who must act",
  blame: {
    caller: "The caller: the program, or its credentials",
    provider: "The API's publisher",
    operator: "Tollgate's operator",
  },
  retry: "Does a retry help?",
  mayRetry: "Yes, later, unchanged. Wait for the time in Retry-After, if present.",
  mayNotRetry: "No: the same call keeps failing until something is changed.",
  answers: "Response",
  code: "Code",
  seen: "Current state",
  seenNote: (application: string) => `What you can see of ${application}.`,
  choose: "Choose the application to check its credentials and subscriptions.",
  happened: (calls: string, api: string) => `${calls} to ${api} in the last 24 hours`,
  otherApis: "other APIs",
  notHappened: "None of its calls in the last 24 hours was refused for this reason.",
  calls: (count: number, shown: string) => (count === 1 ? "1 call" : `${shown} calls`),
  credentials: {
    none: "It has no credentials: create one.",
    works: (count: number, shown: string) =>
      count === 1
        ? "1 credential is active. If the call carried it, it was cut off or mistyped."
        : `${shown} credentials are active. If the call carried one of them, it was cut off or mistyped.`,
    revoked: (name: string) => `“${name}” was revoked`,
    ended: (name: string) => `“${name}” has expired`,
    suspended: (name: string) => `“${name}” was suspended by an administrator`,
    notYet: (name: string) => `“${name}” is not valid yet: it is valid from`,
    allowed: (name: string, from: string) => `“${name}” may be used only from ${from}`,
    everywhere: "None of its credentials is restricted to addresses or origins.",
    scopes: (name: string, scopes: string) => `The client “${name}” is allowed ${scopes}`,
    noScopes: (name: string) => `The client “${name}” is allowed no scopes`,
    noClients: "It has no OAuth2 client: keys and HTTP Basic users have no scopes.",
    environment: (name: string, environment: string) => `“${name}” is for ${environment}`,
    see: "See its credentials",
  },
  subscriptions: {
    none: "It has no subscriptions: choose an API in the catalogue.",
    one: (api: string, plan: string) => `${api}, under ${plan}:`,
    allActive: "All its subscriptions are active now.",
    see: "See its subscriptions",
  },
};
