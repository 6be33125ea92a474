// Texts of the import, from a document to a published API.

export const importWords = {
  title: "Publish an API",
  lead: "From an OpenAPI document or a WSDL. A preview is shown before anything is saved.",
  other: "Choose another document",
  noForm: "An API without a document, with operations added one by one to its draft.",
  source: {
    file: "File",
    fileNotes: {
      any: "OpenAPI 3 or Swagger 2.0 in JSON or YAML; a WSDL, alone or in a zip with its schemas",
      openapi: "OpenAPI 3 or Swagger 2.0, in JSON or YAML",
      wsdl: "A WSDL, alone or in a zip with its schemas",
    },
    drop: "Drop a file here, or",
    choose: "Choose a file",
    bounds: {
      any: "At most 16 MiB, or 8 MiB for a WSDL. The format is detected from the content.",
      openapi: "At most 16 MiB",
      wsdl: "At most 8 MiB",
    },
    url: "URL",
    urlNote: "Fetched by the control plane",
    address: "Document URL",
    fetch: "Fetch",
    noUrl: "This is not a URL. Enter one that begins with https:// or http://.",
    paste: "Pasted text",
    pasteNotes: { any: "JSON, YAML or XML", openapi: "JSON or YAML", wsdl: "XML" },
    document: "Document",
    read: "Read",
    otherForm: {
      openapi:
        "This is a WSDL, but the API is described by an OpenAPI document. Publish a WSDL as another API.",
      wsdl: "This is an OpenAPI document, but the API is described by a WSDL. Publish an OpenAPI document as another API.",
    },
    unusable: {
      empty: "The document is empty.",
      too_large:
        "The document is too large: at most 16 MiB, or 8 MiB for a WSDL. Nothing was sent.",
      encoding: "The document is not UTF-8 text. Save it as UTF-8 and choose it again.",
      html: "This is a web page, not an API description. Look on it for a link to the document itself.",
      unknown:
        "This is neither an OpenAPI document (it has no “openapi:”) nor a WSDL (which begins with “<”).",
    },
  },
  preview: {
    title: "Preview",
    lead: "Nothing is saved yet.",
    kind: "Callers see",
    soap: "SOAP, unchanged",
    soapDetail: "Envelopes pass through the gateway; callers get the WSDL",
    rest: "REST over SOAP",
    restDetail: "The gateway converts envelopes to JSON; callers get an OpenAPI document",
  },
  faults: {
    title: (n: number) => (n === 1 ? "1 error" : `${n} errors`),
    lines: "Surrounding lines",
    other: "Is it a different kind of document?",
    otherLead: {
      openapi: "It was read as an OpenAPI document.",
      wsdl: "It was read as a WSDL because of its address.",
    },
    otherTry: { openapi: "Read as OpenAPI", wsdl: "Read as WSDL" },
  },
  found: {
    operations: (n: string, of: string) => {
      const all = of === "1" ? "1 operation" : `${of} operations`;
      return n === of ? all : `${n} of ${all}`;
    },
    touches: (n: string) => (n === "1" ? "Affects 1 operation" : `Affects ${n} operations`),
    allOperations: "Show all operations",
    notes: (n: string) => (n === "0" ? "No notes" : n === "1" ? "1 note" : `${n} notes`),
    notesLead: "Parts that are not imported, or not as written",
    noNotes: "The whole document is imported.",
    allNotes: "Show all notes",
  },
  form: {
    label: "New API",
    names: "Name and path",
    name: "Name",
    nameTaken: "your other API has this name",
    context: "Context",
    contextHint: "Prefix of its paths at the gateway",
    version: "Version",
    upstream: "Upstream",
    upstreamNote: "Where calls go",
    takeUpstream: "Take the address that the document proposes",
    more: "Credential and certificate authority",
    security: "Security",
    plans: "Plans",
    plansNote: "Callers choose one of these",
    choosePlans: "Callers can choose",
    noPlans: "There is no plan yet. An administrator creates plans; save a draft for now.",
    needsOperation: "the document has no operation that can be called",
    needsUpstream: "set an upstream",
    needsPlan: "choose a plan",
    publish: "Publish",
    draft: "Save as draft",
    draftSaved: "Saved as a draft.",
    saved: (steps: string) =>
      `Saved so far: ${steps}. Try again to continue from there; nothing is created twice.`,
    steps: {
      import: "the API with its document",
      upstream: "the upstream",
      plans: "the plans",
      publish: "published",
    },
    toVersion: "Go to version",
  },
  security: {
    key: "Callers use an API key in the header “apikey”. The document requires nothing else.",
    who: "Caller authentication",
    keyChoice: "API key",
    keyDetail: "In the header “apikey”, regardless of the document",
    document: "As in the document",
    documentDetail: (schemes: string) => `By ${schemes}, with its scopes`,
    opensDetail: "It requires no scheme; operations can be opened to everyone",
    scope: (name: string, granted: "freely" | "by_approval") =>
      `${name} (${granted === "freely" ? "granted freely" : "by approval"})`,
    scopes: (listed: string) =>
      `Scopes: ${listed}. Clients may use freely granted scopes. To require approval, change the scope on the version's Security page.`,
    open: (n: number) =>
      n === 1
        ? "Open the operation that needs no credential in the document"
        : `Open the ${n} operations that need no credential in the document`,
  },
  newVersion: {
    title: "New version",
    pageLead: "From an OpenAPI document. A preview is shown before anything is saved.",
    of: (api: string) => `New version of ${api}`,
    lead: (api: string) =>
      `You have the API ${api}. The document becomes another version of it, which starts as a draft; its other versions stay as they are.`,
    name: "Version name",
    path: (path: string) => `Its path: ${path}`,
    taken: (api: string, name: string) =>
      `${api} has a version ${name} already. Choose another name.`,
    rename: "choose another name",
    from: "Copy settings from",
    fromHint: "Upstream, plans and security; operations with the same method and path keep theirs",
    security: (version: string) => ({
      label: `As in version ${version}`,
      detail: "New operations need a credential, without scopes",
    }),
    kept: (version: string) =>
      `The document requires no security. That of version ${version} applies.`,
    create: (name: string) => (name === "" ? "Create version" : `Create version ${name}`),
    other: "Publish as another API",
  },
  published: {
    title: "Published",
    done: (name: string) => `${name} is published and listed in the catalogue.`,
    behind: "Saved. A gateway has not applied it yet, so the first calls may still be refused.",
    call: "Call it",
    address: "Address",
    key: "Get a key",
    curl: "First call",
    next: "Next steps",
    toVersion: "Go to version",
    toCatalogue: "View in catalogue",
    another: "Publish another",
  },
  report: {
    documents: "Documents read",
    notes: "Notes",
    noNotes: "The whole contract is supported.",
    resources: "Not callable as REST",
    allDocuments: "Show all documents",
    allNotes: "Show all notes",
    allResources: "Show all operations",
  },
};
