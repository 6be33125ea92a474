// Texts of the publisher area: lists of APIs, one API. A page loads only the files that it uses.

import { newVersionWords } from "./new_version";

export { importWords as import } from "./import";
export * as version from "./own_version";

export const withoutTokens = "Continue without access tokens";

export const noForm = {
  title: "Not in the portal yet",
  command: "Command",
  how: "“Show as command” shows how to set the two variables. Omitted fields keep their values; lists are replaced as a whole.",
};

export const apis = {
  title: "APIs",
  lead: "Your versions, with their calls in the last 24 hours and pending work.",
  publish: "Publish an API",
  search: "Search names and paths",
  name: "API",
  named: (api: string, version: string) => `${api} ${version}`,
  kind: "Kind",
  state: "State",
  lastDay: "Last 24 hours",
  calls: "Calls",
  errors: "Errors",
  waits: "Pending",
  notDeployed: (n: number) => (n === 1 ? "1 change not deployed" : `${n} changes not deployed`),
  pending: (n: number) => (n === 1 ? "1 subscription pending" : `${n} subscriptions pending`),
  empty:
    "APIs that you publish are listed here. Start with an OpenAPI document or a WSDL: publishing takes two minutes.",
  noHit: "No matching APIs.",
};

export const api = {
  title: "API",
  tabs: { label: "API sections", overview: "Overview", usage: "Usage" },
  facts: "Details",
  name: "Name",
  context: "Context",
  contextHint: "Prefix of its paths at the gateway; a change applies at once, to all versions",
  kind: "Kind",
  made: "Created",
  id: "Id",
  description: "Description",
  versions: "Versions",
  version: "Version",
  state: "State",
  revision: "Revision",
  isDefault: "default",
  waits: "Pending",
  calls: "Calls",
  subscriptions: "Subscriptions",
  changed: "Last change",
  noVersions: "No versions.",
  new: newVersionWords,
  makeDefault: "Make default…",
  makeDefaultOf: (version: string) => `Make ${version} the default version`,
  madeDefault: (version: string) => `${version} is the default version.`,
  edit: "Edit…",
  editTitle: "Edit API",
  saved: "Saved.",
  delete: "Delete…",
  confirm: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteLead:
    "All its versions are deleted, with their revisions and documents. Calls are refused at once, and subscriptions end. This cannot be undone.",
  deleteRefused: "It can be deleted once each of its versions is a draft, a prototype or retired.",
  deleted: (name: string) => `${name} is deleted.`,
};
