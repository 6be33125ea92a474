// Display names of the API's values.

const states = {
  created: "created",
  prototyped: "prototype",
  published: "published",
  blocked: "blocked",
  deprecated: "deprecated",
  retired: "retired",
};
const statuses = {
  pending: "pending approval",
  active: "active",
  blocked: "blocked",
  blocked_production: "blocked in production",
  rejected: "rejected",
};
const kinds = { rest: "REST", soap: "SOAP", soap_to_rest: "REST over SOAP" };
const roles = { administrator: "administrator", publisher: "publisher", developer: "developer" };

export const nounWords = {
  states,
  statuses,
  kinds,
  environments: { production: "production", sandbox: "sandbox" },
  roles,
  /** Filters and sort orders of lists; `any` is shown until one is chosen. */
  filters: {
    kind: { label: "Kind", any: "Any kind", names: kinds },
    state: { label: "State", any: "Any state", names: states },
    status: { label: "Status", any: "Any status", names: statuses },
    deprecated: {
      label: "Deprecated versions",
      any: "Hide deprecated",
      names: { shown: "Show deprecated" },
    },
    role: { label: "Role", any: "Any role", names: roles },
    sort: { label: "Sort", any: "By name", names: { "-created": "Newest first" } },
  },
  /** Why usage data is incomplete. */
  lossReasons: {
    unclean_stop: "the process was killed",
    ring_full: "more calls at once than the buffer holds",
    backlog_full: "usage could not be written for too long",
    spool_behind: "single calls could not be written for too long; they are counted",
    spool_damaged: "files with single calls were damaged or removed; the calls are counted",
    spool_full: "the oldest single calls were removed to make room; they are counted",
    damaged: "the file was damaged",
    missing: "the file was missing",
  },
};
