// Making APIs of documents: first what would come of one, then the API. OpenAPI documents and
// contracts of SOAP services have an operation each; what pages see of them is the same.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { type Fault, Problem } from "../problem";
import { type Kind, apisChanged } from "./apis";

type Created = components["schemas"]["CreatedApi"];
export type ContractReport = components["schemas"]["ContractReport"];
export type ProposedSecurity = components["schemas"]["ProposedSecurity"];

/** What describes an API: an OpenAPI document, or a WSDL with its schemas. */
export type Form = "openapi" | "wsdl";

/** A document to import. */
export interface Source {
  /** Tells one attempt from the next. */
  id: string;
  form: Form;
  /** A file's name, or an address; empty for what was pasted. */
  name: string;
  contentType: string;
  body: Blob;
  /** To show the line of a fault; absent for archives and for what is fetched. */
  text?: string;
  /** Whether the body only names where the document is. */
  isFetched?: boolean;
}

/** What one says of an API that its document does not say, or says otherwise. */
export interface ImportChoice {
  name: string;
  context: string;
  version: string;
  kind: Kind;
  /** Whether the document's security holds; else callers have an API key. */
  isSecuredByDocument: boolean;
  /** Whether operations that the document opens may be called without a credential. */
  isOpen: boolean;
}

export interface PreviewedOperation {
  method?: string;
  name: string;
  summary: string;
}

/** What is not taken over of a document. */
interface PreviewNote {
  where: string;
  code: string;
  detail: string;
  /** How many operations it touches; 0 where it touches the document as a whole. */
  operations: number;
}

/** What would come of a document, whatever its form. */
export interface Preview {
  form: Form;
  name: string;
  context: string;
  version: string;
  /** What keeps it from being saved so. */
  faults: readonly Fault[];
  operations: readonly PreviewedOperation[];
  /** How many operations the document describes, those that are left out included. */
  described: number;
  upstream: string;
  /** What is not taken over. */
  notes: readonly PreviewNote[];
  security: ProposedSecurity | undefined;
}

/** What would come of a document. */
export const preview = (source: Source, kind: Kind) =>
  queryOptions({
    queryKey: ["imports", source.id, kind],
    queryFn: () => previewOf(source, kind),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });

async function previewOf(source: Source, kind: Kind): Promise<Preview> {
  if (source.form === "wsdl") return previewWsdl(source, kind);
  try {
    return await previewOpenApi(source);
  } catch (error) {
    // Of what is fetched, the server sees first what it is.
    const isXml = Problem.from(error).faults.some(({ code }) => code === IS_XML);
    if (!source.isFetched || !isXml) throw error;
    return previewWsdl(source, kind);
  }
}

/** The code of a fault: the document is XML. */
const IS_XML = "openapi.xml";

/** The client would make JSON of a body that is JSON, and a text of others: it goes as it is. */
const asItIs = {
  bodySerializer: (body: unknown) => body as Blob,
};

function postOpenApi({ body, contentType }: Source, query: Query) {
  return client.POST("/api/v1/apis/import", {
    params: { query },
    headers: { "Content-Type": contentType },
    body: body as unknown as string,
    ...asItIs,
  });
}

function postWsdl({ body, contentType }: Source, query: Query) {
  return client.POST("/api/v1/apis/import/wsdl", {
    params: { query },
    headers: { "Content-Type": contentType },
    body: body as unknown as string,
    ...asItIs,
  });
}

interface Query {
  dry_run?: boolean;
  name?: string;
  context?: string;
  version?: string;
  security?: "document";
  allow_anonymous?: boolean;
  kind?: "soap" | "soap_to_rest";
}

const SAVED = "the answer to a dry run is that of an import";

async function previewOpenApi(source: Source): Promise<Preview> {
  const seen = await content(postOpenApi(source, { dry_run: true }));
  if ("version" in seen) throw Problem.from(new Error(SAVED));
  const { api, operations, described_operations, proposed_upstream, proposed_security, notes } =
    seen;
  return {
    form: "openapi",
    ...api,
    operations: operations.map(({ method, path, summary }) => ({
      method,
      name: path,
      summary: summary ?? "",
    })),
    described: described_operations,
    upstream: proposed_upstream ?? "",
    notes: notes.map(({ field, ...note }) => ({ where: field, ...note })),
    security: proposed_security ?? undefined,
  };
}

async function previewWsdl(source: Source, kind: Kind): Promise<Preview> {
  const seen = await content(postWsdl(source, { dry_run: true, kind: soapKind(kind) }));
  if ("version" in seen) throw Problem.from(new Error(SAVED));
  const { api, operations, proposed_upstream, report } = seen;
  const resources = report.resources?.map(resourceOf);
  return {
    form: "wsdl",
    ...api,
    operations: resources ?? operations.map((name) => ({ name, summary: "" })),
    described: resources?.length ?? operations.length,
    upstream: proposed_upstream ?? "",
    notes: report.notes.map(({ document, line, code, detail }) => ({
      where: line > 0 ? `${document}:${line}` : document,
      code,
      detail,
      operations: 0,
    })),
    security: undefined,
  };
}

type OperationResource = components["schemas"]["OperationResource"];

/** How an operation would be called as REST, or why it cannot be. */
function resourceOf({ operation, resource, proxy_only }: OperationResource): PreviewedOperation {
  if (!resource) return { name: operation, summary: proxy_only ?? "" };
  return { method: resource.method, name: resource.path, summary: operation };
}

const soapKind = (kind: Kind) => (kind === "soap_to_rest" ? "soap_to_rest" : "soap");

/** Makes the API, with its first version as a draft. */
export async function importApi(
  source: Source,
  form: Form,
  choice: ImportChoice,
): Promise<Created> {
  const { name, context, version, kind, isSecuredByDocument, isOpen } = choice;
  const named = { name, context, version };
  const secured = isSecuredByDocument
    ? { security: "document" as const, allow_anonymous: isOpen }
    : {};
  const made =
    form === "openapi"
      ? await content(postOpenApi(source, { ...named, ...secured }))
      : await content(postWsdl(source, { ...named, kind: soapKind(kind) }));
  await apisChanged();
  if (!("version" in made)) throw Problem.from(new Error("the answer is that of a dry run"));
  return made;
}
