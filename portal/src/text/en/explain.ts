// Words of the page that explains refusals.

export const explainWords = {
  title: "Explain a refusal",
  lead: "Paste the gateway's response: all of it, its JSON, the message, the code or the status.",
  paste: "The refusal",
  pastePlaceholder: '{"code": "authenticate.invalid", "status": 401, …}',
  application: "Application that called",
  anyApplication: "I do not know",
  explain: "Explain",
  notFound: "There is no code of the gateway in this, and no status that it refuses calls with.",
  unknown: (code: string) =>
    `“${code}” is no refusal of the gateway. It may come from the API's own back end, whose publisher knows it.`,
  other: (code: string) =>
    `“${code}” is not a code of the gateway. It comes from the control plane, the key manager or the API's back end, with this message:`,
  severalSay: "Several refusals have this message:",
  candidates: (status: string) => `The gateway answers ${status} for one of these:`,
  whose: "Who must act",
  blame: {
    caller: "The caller: the program, or its credentials",
    provider: "The API's publisher",
    operator: "Tollgate's operator",
  },
  retry: "Does a retry help?",
  mayRetry: "Yes, later, as it is. Wait as long as Retry-After says, where it is there.",
  mayNotRetry: "No: the same call fails again until something is changed.",
  answers: "What the caller reads",
  code: "Code",
  seen: "What is seen here",
  seenNote: (application: string) => `Of ${application}, as far as you may see it now.`,
  choose: "Choose the application, and what you may see of it is checked.",
  happened: (calls: string, api: string) => `${calls} to ${api} in the last 24 hours`,
  notHappened: "Its calls have not met this in the last 24 hours.",
  calls: (count: number, shown: string) => (count === 1 ? "1 call" : `${shown} calls`),
  credentials: {
    none: "It has no credential at all: make one.",
    works: (count: number, shown: string) =>
      count === 1
        ? "1 credential works. If the call carried it, it was cut off or mistyped."
        : `${shown} credentials work. If the call carried one of them, it was cut off or mistyped.`,
    revoked: (name: string) => `“${name}” was revoked`,
    ended: (name: string) => `“${name}” has expired`,
    suspended: (name: string) => `“${name}” was suspended by an administrator`,
    notYet: (name: string) => `“${name}” is not good yet: it is from`,
    allowed: (name: string, from: string) => `“${name}” may be used only from ${from}`,
    everywhere: "None of its credentials is bound to a place.",
    scopes: (name: string, scopes: string) => `The client “${name}” may have ${scopes}`,
    noScopes: (name: string) => `The client “${name}” may have no scope`,
    noClients: "It has no OAuth2 client: keys and users of HTTP Basic have no scopes.",
    environment: (name: string, environment: string) => `“${name}” is for ${environment}`,
    see: "See its credentials",
  },
  subscriptions: {
    none: "It is subscribed to no API: choose one in the catalogue.",
    one: (api: string, plan: string) => `${api}, under ${plan}:`,
    allActive: "All its subscriptions are active now.",
    see: "See its subscriptions",
  },
};
