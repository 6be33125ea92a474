// Texts of the page that shows the document of a draft and replaces it.

import { breakingRules } from "./breaking";

const operations = (n: string) => (n === "1" ? "1 operation" : `${n} operations`);

export const documentWords = {
  title: "Document of the draft",
  lead: {
    rest: "As imported; the catalogue has the document of the served revision",
    soap: "The WSDL with the gateway's address, as callers get it once deployed",
    soap_to_rest: "An OpenAPI document of the enabled resources",
  },
  none: "The draft has no document. Callers see its operations without schemas.",
  download: "Download",
  facts: {
    title: "Title",
    version: "Version",
    format: "Format",
    size: "Size",
    operations: "Operations",
  },
  format: (format: string, syntax: string) => `${format}, ${syntax}`,
  report: "Contract report",
  replace: {
    rest: {
      title: "Replace the document",
      lead: "From an OpenAPI document. The differences are shown before anything is saved.",
    },
    contract: {
      title: "Replace the contract",
      lead: "From a WSDL. It is saved to the draft, then its differences are shown.",
    },
  },
  other: "Choose another document",
  newVersion: "New version from this document…",
  back: "Back to the differences",
  save: "Save to draft",
  saved: {
    document: "The new document is in the draft. Callers see it once it is deployed.",
    contract: "The new contract is in the draft. Callers see it once it is deployed.",
    undeployed: "Nothing is deployed yet: publishing the version deploys the draft.",
    toVersion: "Go to version",
  },
  stale: {
    title: "The draft was changed by someone else. Nothing was saved.",
    lead: "The differences below are now those from the present draft. Check them, then save again.",
    contractLead: "Save again to replace the contract of the present draft.",
    changed: "What changed",
    document: "its document",
  },
  comparing: "comparing",
  figures: {
    breaking: "Breaking",
    unjudged: "Not judged",
    other: "Other changes",
  },
  compared: (breaking: string, unjudged: string, other: string) =>
    `Compared: ${breaking} breaking, ${unjudged} not judged, ${other} other changes.`,
  search: "Search changes",
  noHit: "No matching changes.",
  nothingChanged: "The document changes nothing for callers.",
  truncated: "There are more changes than can be listed.",
  notCompared:
    "The draft had no document, so only the operations are compared, not their parameters and schemas.",
  removed: {
    title: (n: string) => `Removed: ${operations(n)}`,
    note: "Once this is deployed, their calls fail or reach another operation",
    all: "Show all removed operations",
    calls: (n: string) => (n === "1" ? "1 call" : `${n} calls`),
    lastDay: (calls: string) => `${calls} in the last 24 hours`,
    noCalls: "No calls in the last 24 hours",
    by: "Called by",
    nobody: "callers without a valid credential",
    caller: (name: string, calls: string) => `${name} (${calls})`,
    reached: (path: string) => `${path} receives these calls instead, because its path matches.`,
    before: "Access until now",
    now: (path: string) => `Access of ${path}`,
  },
  renames: {
    title: (n: string) =>
      n === "1" ? "1 operation may have moved" : `${n} operations may have moved`,
    note: "Same method and operationId at another path; calls of the old path fail either way",
    keep: "Keep the settings",
    keepHint: "Limits, scopes and anonymous access of the old path apply to the new one",
    all: "Show all moved operations",
    to: "to",
  },
  breaking: {
    title: (n: string) => (n === "1" ? "1 breaking change" : `${n} breaking changes`),
    note: "Calls that work now can fail, or receive what they do not expect",
    all: "Show all breaking changes",
  },
  unjudged: {
    title: (n: string) => `Not judged: ${n}`,
    note: "These may break callers: check them",
    all: "Show all changes that were not judged",
  },
  unscoped: {
    title: (n: string) => `New without scopes: ${operations(n)}`,
    warning:
      "The version has scopes, but these require none: every valid credential may call them. Set their scopes on the page Operations after saving, or take the security of the document.",
    all: "Show all new operations without scopes",
  },
  access: {
    title: (n: string) => `Changed access: ${operations(n)}`,
    change: (before: string, now: string) => `${before} → ${now}`,
    all: "Show all changes of access",
  },
  added: {
    title: (n: string) => `New: ${operations(n)}`,
    all: "Show all new operations",
    needs: (access: string) => `Needs ${access}`,
  },
  compatible: {
    title: (n: string) => (n === "1" ? "1 compatible change" : `${n} compatible changes`),
    all: "Show all compatible changes",
  },
  change: {
    old: "old document",
    new: "new document",
    general: "Whole document",
    moved: (from: string) => `It may be the operation at ${from}, at another path.`,
    rule: (word: string) => `Explain the rule ${word}`,
  },
  rules: breakingRules,
  security: {
    title: "Security",
    otherwise: {
      label: "As in the draft",
      detail: "New operations need a credential, without scopes",
    },
    none: "The document requires no security. That of the draft stays.",
  },
  upstream: {
    title: "Upstream",
    lead: "The document names another server. The upstream of the draft stays unless you take it.",
    edit: "Go to upstream",
  },
  contract: {
    title: "New contract",
    pasted: "Pasted text",
    kept: "Operations that the new contract still has keep their settings, and edited resources that still fit are kept. Contracts have no preview: the differences are shown once it is in the draft, and callers see it once it is deployed.",
    differences: "Differences",
    unchanged: "All operations are the same as before.",
    changes: { added: "added", removed: "removed", changed: "changed" },
    all: "Show all operations",
    resource: (before: string, now: string) => `${before} → ${now}`,
    upstream: (url: string) =>
      `The contract names the address ${url}. The upstream of the draft stays.`,
  },
};
