// Texts of the dialog that deploys a draft.

export const deployWords = {
  deploy: "Deploy",
  notDeployed: (n: number) => (n === 1 ? "1 change not deployed." : `${n} changes not deployed.`),
  served: (revision: number) => `Revision ${revision} is served.`,
  difference: "Difference",
  draft: {
    title: () => "Deploy draft",
    lead: "Creates a revision from the draft and deploys it; each call is served by either the old or the new revision.",
    confirm: "Deploy",
  },
  revision: {
    title: (revision: number) => `Deploy revision ${revision}`,
    lead: "Callers are served by it; each call is served by either the old or the new revision. The draft does not change.",
    confirm: "Deploy",
  },
  back: {
    title: (revision: number) => `Roll back to revision ${revision}`,
    lead: "Callers are served by an older revision again, with its document. The draft does not change.",
    confirm: "Roll back",
  },
  changes: "What changes",
  whole: "See all differences",
  security: {
    title: "Who may call",
    what: "What",
    served: "Served now",
    draft: "After this deployment",
    schemes: "Credentials",
    key: (label: string, header: string, query: string) =>
      query === "" ? `${label} in ${header}` : `${label} in ${header}, or in the query as ${query}`,
    or: " or ",
    and: " and ",
    anonymous: "no credential",
    any: "any credential",
    needs: (scopes: string) => `a token with ${scopes}`,
    more: (n: number) => (n === 1 ? "And 1 more operation." : `And ${n} more operations.`),
  },
  note: "Note",
  noteHint: "Shown in the history",
  made: (revision: number) =>
    `Revision ${revision} was created but not deployed. Try again to deploy it.`,
  done: (revision: number) => `Revision ${revision} is served.`,
};

/** Of a list of revisions and of the history. */
export const deployRevisionWords = {
  button: "Deploy…",
  label: (number: number) => `Deploy… revision ${number}`,
};
