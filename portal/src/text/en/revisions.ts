// Texts of a version's revisions: their list, comparisons, and the dialogs that deploy, restore and
// delete them.

import { deployRevisionWords } from "./deploy";

const counted = (n: string, one: string, many: string) => (n === "1" ? `1 ${one}` : `${n} ${many}`);

export const revisionWords = {
  title: "Revisions",
  empty: "No revisions yet. Publishing creates the first one from the draft.",
  number: "Revision",
  named: (number: number) => `Revision ${number}`,
  author: "Author",
  created: "Created",
  note: "Note",
  served: "served",
  verbs: {
    deploy: {
      name: "Deploy",
      acts: "Acts on callers: they are served by that revision. The draft does not change.",
    },
    editFrom: {
      name: "Edit from",
      acts: "Acts on the draft only: it becomes a copy of that revision. Callers see no change.",
    },
  },
  changes: { button: "Changes", label: (number: number) => `Changes of revision ${number}` },
  deploy: deployRevisionWords,
  editFrom: {
    button: "Edit from…",
    label: (number: number) => `Edit from… revision ${number}`,
    title: (number: number) => `Edit from revision ${number}`,
    lead: (number: number) =>
      `The draft becomes a copy of revision ${number}, with its document and secrets. Callers see no change until you deploy.`,
    lost: (n: number) =>
      n === 1
        ? "The draft has 1 change that is not deployed. It is lost."
        : `The draft has ${n} changes that are not deployed. They are lost.`,
    neverDeployed: "Nothing is deployed, so what only the draft has is lost.",
    show: "Show them",
    confirm: "Replace draft",
    done: (number: number) => `The draft is a copy of revision ${number}.`,
  },
  delete: {
    button: "Delete…",
    label: (number: number) => `Delete… revision ${number}`,
    title: (number: number) => `Delete revision ${number}?`,
    lead: "It cannot be deployed, compared or edited from any more, and its number is not used again. The history keeps its deployments.",
    confirm: "Delete",
    done: (number: number) => `Revision ${number} is deleted.`,
  },
  compare: {
    tab: "Comparison",
    title: "Compare",
    from: "From",
    to: "To",
    draft: "Draft",
    deployed: (number: number) => `Served: revision ${number}`,
    compare: "Compare",
    all: "All revisions",
    sides: (from: string, to: string) => `${from} → ${to}`,
    side: (version: string, side: string) => `${version}, ${side}`,
    version: "Version of “From”",
    newVersion: "New version from this document…",
    same: "No differences.",
    summary: (n: string) => counted(n, "difference", "differences"),
    truncated: "There are more than 10,000 differences. Some of those of operations are missing.",
    what: "What",
    before: "Before",
    after: "After",
    secret: "secret",
    secretChanged: "changed",
    present: "present",
    anotherOne: "another one",
    groups: {
      operations: "Operations",
      upstream: "Upstream",
      security: "Security",
      limits: "Limits",
      policies: "Policies",
      cors: "CORS",
      cache: "Cache",
      document: "Document",
      contract: "Contract",
      other: "Other",
    },
    group: (name: string, n: string) => `${name}: ${counted(n, "difference", "differences")}`,
    value: (member: string, side: string) => `${member}, ${side}`,
  },
  document: {
    title: "Document as callers read it",
    added: "Only the newer side has a document.",
    removed: "Only the older side has a document.",
    same: "Callers read the same document.",
    breaking: (n: string) =>
      n === "1" ? "1 change breaks callers." : `${n} changes break callers.`,
    compatible: "No change is known to break callers.",
  },
  contract: {
    title: "Contract",
    added: "Only the newer side has a contract.",
    removed: "Only the older side has a contract.",
    same: "Another contract; the operations of both are the same.",
    operation: "Operation",
    what: "What",
  },
};
