// Imports of documents as APIs: first a preview, then the API. OpenAPI documents and SOAP contracts
// are imported by separate operations, but look the same to pages.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { client, content } from "../client";
import { type Fault, Problem } from "../problem";
import { type Kind, apisChanged } from "./apis";

type Created = components["schemas"]["CreatedApi"];
type CreatedVersion = components["schemas"]["CreatedVersion"];
export type ContractReport = components["schemas"]["ContractReport"];
export type ProposedSecurity = components["schemas"]["ProposedSecurity"];
export type ProposedVersion = components["schemas"]["ProposedVersion"];

/** The form of an API description: an OpenAPI document, or a WSDL with its schemas. */
export type Form = "openapi" | "wsdl";

/** A document to import. */
export interface Source {
  /** Distinguishes attempts. */
  id: string;
  form: Form;
  /** A file name or a URL; empty for pasted text. */
  name: string;
  contentType: string;
  body: Blob;
  /** The text, to show the line of a fault; absent for archives and fetched documents. */
  text?: string;
  /** Whether the body only contains the URL of the document. */
  isFetched?: boolean;
}

/** Whether security is taken from the document. */
export interface SecurityFromDocument {
  /** Whether the document's security applies. */
  isSecuredByDocument: boolean;
  /** Whether operations without security in the document can be called without a credential. */
  isOpen: boolean;
}

/** Whether the upstream is taken from the document. */
export interface UpstreamFromDocument {
  /** Whether the draft gets the proposed upstream. */
  isUpstreamProposed: boolean;
}

/** Choices that complete or override the document; without its security callers use an API key. */
export interface ImportChoice extends SecurityFromDocument, UpstreamFromDocument {
  name: string;
  context: string;
  version: string;
  kind: Kind;
}

export interface PreviewedOperation {
  method?: string;
  name: string;
  summary: string;
}

/** A part of a document that is not imported. */
export interface PreviewNote {
  where: string;
  code: string;
  detail: string;
  /** Number of affected operations; 0 if it affects the document as a whole. */
  operations: number;
}

/** The result of a dry-run import, whatever the form of the document. */
export interface Preview {
  form: Form;
  name: string;
  context: string;
  version: string;
  /** Faults that prevent it from being saved. */
  faults: readonly Fault[];
  operations: readonly PreviewedOperation[];
  /** Number of operations in the document, including those left out. */
  described: number;
  upstream: string;
  /** Parts that are not imported. */
  notes: readonly PreviewNote[];
  security: ProposedSecurity | undefined;
  /** The user's API with this name: an OpenAPI document can become another version of it. */
  newVersionOf: ProposedVersion | undefined;
}

/** Query for the preview of a document; `name` replaces that of the document. */
export const preview = (source: Source, kind: Kind, name?: string) =>
  queryOptions({
    queryKey: ["imports", source.id, kind, name],
    queryFn: () => previewOf(source, kind, name),
    retry: false,
    // The document is sent once: no other change sends it again.
    staleTime: "static",
    gcTime: 0,
  });

async function previewOf(source: Source, kind: Kind, name?: string): Promise<Preview> {
  if (source.form === "wsdl") return previewWsdl(source, kind);
  try {
    return await previewOpenApi(source, name);
  } catch (error) {
    // For a fetched document, the server detects the form first.
    const isXml = Problem.from(error).faults.some(({ code }) => code === IS_XML);
    if (!source.isFetched || !isXml) throw error;
    return previewWsdl(source, kind);
  }
}

/** The fault code of a document that is XML. */
const IS_XML = "openapi.xml";

/** Sends the body unchanged: the client would otherwise serialize it again. */
export const asItIs = {
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
  upstream?: "proposed";
  kind?: "soap" | "soap_to_rest";
}

const SAVED = "the response to a dry run is that of an import";

async function previewOpenApi(source: Source, name?: string): Promise<Preview> {
  const named = name === undefined ? {} : { name };
  const seen = await content(postOpenApi(source, { dry_run: true, ...named }));
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
    notes: previewNotes(notes),
    security: proposed_security ?? undefined,
    newVersionOf: api.new_version_of ?? undefined,
  };
}

export function previewNotes(notes: readonly components["schemas"]["ImportNote"][]): PreviewNote[] {
  return notes.map(({ field, ...note }) => ({ where: field, ...note }));
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
    newVersionOf: api.new_version_of ?? undefined,
  };
}

type OperationResource = components["schemas"]["OperationResource"];

/** Returns the REST resource of an operation, or why it has none. */
function resourceOf({ operation, resource, proxy_only }: OperationResource): PreviewedOperation {
  if (!resource) return { name: operation, summary: proxy_only ?? "" };
  return { method: resource.method, name: resource.path, summary: operation };
}

const soapKind = (kind: Kind) => (kind === "soap_to_rest" ? "soap_to_rest" : "soap");

/** Returns the query parameters that apply the document's security, if any. */
export function securityQuery({ isSecuredByDocument, isOpen }: SecurityFromDocument) {
  if (!isSecuredByDocument) return {};
  return { security: "document", allow_anonymous: isOpen } as const;
}

/** Returns the query parameter that takes the document's upstream, if it is taken. */
export function upstreamQuery({ isUpstreamProposed }: UpstreamFromDocument) {
  return isUpstreamProposed ? ({ upstream: "proposed" } as const) : {};
}

/** Creates the API, with its first version as a draft. */
export async function importApi(
  source: Source,
  form: Form,
  choice: ImportChoice,
): Promise<Created> {
  const { name, context, version, kind, ...taken } = choice;
  const named = { name, context, version, ...upstreamQuery(taken) };
  const made =
    form === "openapi"
      ? await content(postOpenApi(source, { ...named, ...securityQuery(taken) }))
      : await content(postWsdl(source, { ...named, kind: soapKind(kind) }));
  await apisChanged();
  if (!("version" in made)) throw Problem.from(new Error("the response is that of a dry run"));
  return made;
}

/** A version to create from an OpenAPI document. */
export interface VersionChoice extends SecurityFromDocument, UpstreamFromDocument {
  name: string;
  /** The version to copy settings and plans from. */
  from: string | undefined;
}

/** Creates a version of an API from a document, as a draft. */
export async function importVersion(
  api: string,
  { body, contentType }: Source,
  { name, from, ...taken }: VersionChoice,
): Promise<CreatedVersion> {
  const copied = from === undefined ? {} : { from };
  const query = { name, ...copied, ...securityQuery(taken), ...upstreamQuery(taken) };
  const made = await content(
    client.POST("/api/v1/apis/{api}/versions", {
      params: { path: { api }, query },
      headers: { "Content-Type": contentType },
      body: body as unknown as string,
      ...asItIs,
    }),
  );
  await apisChanged();
  return made;
}
