// Words of the way from a document to a published API.

export const importWords = {
  title: "Publish an API",
  lead: "From an OpenAPI document or a WSDL. Nothing is saved before you have seen what comes of it.",
  other: "Another document",
  noForm: "An API without a document, whose operations are named one by one in its draft.",
  source: {
    file: "A file",
    fileNote:
      "OpenAPI 3 or Swagger 2.0 in JSON or YAML; a WSDL, alone or in a zip with its schemas",
    drop: "Drop it here, or",
    choose: "Choose a file",
    bound: "At most 16 MiB, a WSDL 8 MiB. What it is, is seen from its content.",
    url: "An address",
    urlNote: "The control plane fetches it",
    address: "Address of the document",
    fetch: "Fetch",
    noUrl: "That is no address. It begins with https:// or http://.",
    paste: "Pasted",
    pasteNote: "JSON, YAML or XML",
    document: "Document",
    read: "Read",
    unusable: {
      empty: "There is nothing in it.",
      too_large: "It is too large: at most 16 MiB are taken, of a WSDL 8 MiB. Nothing was sent.",
      encoding: "It is no text in UTF-8. Save it as UTF-8 and choose it again.",
      html: "It is a web page, and no description of an API. Look on it for a link to the document itself.",
      unknown:
        "It is neither an OpenAPI document (nothing in it says “openapi:”) nor a WSDL (which begins with “<”).",
    },
  },
  preview: {
    title: "What comes of it",
    lead: "Nothing is saved yet.",
    kind: "Callers see",
    soap: "SOAP, as it is",
    soapDetail: "Envelopes pass through the gateway; callers get the WSDL",
    rest: "REST over SOAP",
    restDetail: "The gateway makes JSON of envelopes; callers get an OpenAPI document",
  },
  faults: {
    title: (n: number) => (n === 1 ? "1 fault" : `${n} faults`),
    lines: "The lines around it",
    other: "Is it another kind of document?",
    otherLead: {
      openapi: "It was read as an OpenAPI document.",
      wsdl: "It was read as a WSDL, since its address looks like that.",
    },
    otherTry: { openapi: "Read it as OpenAPI", wsdl: "Read it as a WSDL" },
  },
  found: {
    operations: (n: string, of: string) => {
      const all = of === "1" ? "1 operation" : `${of} operations`;
      return n === of ? all : `${n} of ${all}`;
    },
    touches: (n: string) => (n === "1" ? "Touches 1 operation" : `Touches ${n} operations`),
    allOperations: "Show all operations",
    notes: (n: string) => (n === "0" ? "No notes" : n === "1" ? "1 note" : `${n} notes`),
    notesLead: "What is not taken over, or not as it is written",
    noNotes: "All of the document is taken over.",
    allNotes: "Show all notes",
    first: (shown: string, all: string) => `The first ${shown} of ${all}.`,
  },
  form: {
    label: "The API to be",
    names: "Name and path",
    name: "Name",
    context: "Context",
    contextHint: "Where its paths begin at the gateway",
    version: "Version",
    upstream: "Upstream",
    upstreamNote: "Where calls go",
    more: "A secret, or an authority of its own",
    security: "Security",
    plans: "Plans",
    plansNote: "What callers may choose from",
    choosePlans: "Callers may choose",
    noPlans: "There is no plan yet. An administrator makes them; save a draft meanwhile.",
    needsOperation: "the document has no operation that can be called",
    needsUpstream: "say where calls go",
    needsPlan: "choose a plan",
    publish: "Publish",
    draft: "Save as draft",
    draftSaved: "Saved as a draft.",
    saved: (steps: string) =>
      `This much is saved: ${steps}. The next attempt goes on from there; nothing is made twice.`,
    steps: {
      import: "the API with its document",
      upstream: "the upstream",
      plans: "the plans",
      publish: "published",
    },
    toVersion: "To the version",
  },
  security: {
    key: "Callers have an API key, in the header “apikey”. The document asks for nothing else.",
    who: "Callers prove who they are",
    keyChoice: "By an API key",
    keyDetail: "In the header “apikey”, whatever the document says",
    document: "As the document says",
    documentDetail: (schemes: string) => `By ${schemes}, with its scopes`,
    scope: (name: string, granted: "freely" | "by_approval") =>
      `${name} (${granted === "freely" ? "given freely" : "by approval"})`,
    scopes: (listed: string) =>
      `Scopes: ${listed}. Clients may use freely granted scopes. To require approval, change the scope on the version's Security page.`,
    open: (n: number) =>
      n === 1
        ? "Open the operation that the document opens to anybody"
        : `Open the ${n} operations that the document opens to anybody`,
  },
  published: {
    title: "Published",
    done: (name: string) => `${name} is published: the catalogue shows it.`,
    behind:
      "It is saved. A gateway has not applied it yet, so the first calls may still be refused.",
    call: "Call it",
    address: "Address",
    key: "Get a key",
    curl: "First call",
    next: "What now",
    toVersion: "To the version",
    toCatalogue: "As the catalogue shows it",
    another: "Publish another",
  },
  report: {
    documents: "Documents that were read",
    notes: "Notes",
    noNotes: "All of it was understood.",
    resources: "Not callable as REST",
  },
};
