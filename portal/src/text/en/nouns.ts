// What the API's words are called on pages.

export const nounWords = {
  states: {
    created: "created",
    prototyped: "prototype",
    published: "published",
    blocked: "blocked",
    deprecated: "deprecated",
    retired: "retired",
  },
  statuses: {
    pending: "waits for approval",
    active: "active",
    blocked: "blocked",
    blocked_production: "blocked in production",
    rejected: "rejected",
  },
  kinds: { rest: "REST", soap: "SOAP", soap_to_rest: "REST over SOAP" },
  environments: { production: "production", sandbox: "sandbox" },
  roles: { administrator: "administrator", publisher: "publisher", developer: "developer" },
  per: {
    subscription: "for each subscription",
    application: "for each application",
    api: "for all callers together",
    operation: "for the operation",
  },
  windows: {
    second: "a second",
    minute: "a minute",
    hour: "an hour",
    day: "a day",
    week: "a week",
    month: "a month",
    year: "a year",
  },
  burst: (calls: string) => `, up to ${calls} at once`,
  limit: (amount: string, window: string) => `${amount} ${window}`,
  unlimited: "No limits",
};
