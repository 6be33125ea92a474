// Texts of the dialog that deploys a draft.

export const deployWords = {
  deploy: "Deploy",
  notDeployed: (n: number) => (n === 1 ? "1 change not deployed." : `${n} changes not deployed.`),
  served: (revision: number) => `Revision ${revision} is served.`,
  title: "Deploy draft",
  lead: "Creates a revision from the draft and deploys it; each call is served by either the old or the new revision. Changes:",
  part: (name: string, n: number | undefined) =>
    n === undefined ? name : `${name}: ${n} added, removed or changed`,
  parts: {
    operations: "operations",
    soap: "the SOAP service and its resources",
    upstream: "the upstream",
    sandbox_upstream: "the sandbox upstream",
    security: "security",
    key_header: "the API key header",
    limits: "limits",
    identity: "caller identity sent to the upstream",
    body_bytes_max: "maximum request size",
    encoded_slash: "encoded slashes",
    semicolon: "semicolons",
    paths: "case sensitivity of paths",
    method_override: "method overrides",
  },
  secrets: "secrets (not shown)",
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
