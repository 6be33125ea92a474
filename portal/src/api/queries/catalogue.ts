// The versions that can be called, and their documents.

import { queryOptions } from "@tanstack/react-query";
import type { components } from "../schema";
import { type Searched, newestFirst, oneOf, text } from "../../search_parameters";
import { client, content } from "../client";
import { KINDS } from "./overview";
import { listing } from "./pages";

export type CatalogueEntry = components["schemas"]["CatalogueEntry"];
export type OperationList = components["schemas"]["OperationList"];
export type OfferedPlan = components["schemas"]["OfferedPlan"];
export type Limit = components["schemas"]["Limit"];
export type Security = components["schemas"]["Security"];
export type Deprecation = components["schemas"]["Deprecation"];
export type Successor = components["schemas"]["Successor"];
export type CallerDifference = components["schemas"]["CallerDifference"];

/** The states in which versions are in the catalogue. */
export const LISTED_STATES = ["published", "prototyped", "deprecated"] as const;

/** Search parameters of the catalogue. */
export const CATALOGUE_SEARCH = {
  q: text,
  kind: oneOf(...KINDS),
  state: oneOf(...LISTED_STATES),
  deprecated: oneOf("shown"),
  sort: newestFirst,
};
type CatalogueSearch = Searched<typeof CATALOGUE_SEARCH>;

export const CATALOGUE_KEY = ["catalogue"];
/** Page size that fills rows of cards at any width. */
const CARDS = 24;

export const catalogue = ({ deprecated, ...search }: CatalogueSearch) =>
  listing(
    [...CATALOGUE_KEY, "list", search, deprecated],
    (page) => {
      // Deprecated versions are listed only on request.
      const shown = deprecated === "shown" && { deprecated: true };
      const query = { ...search, ...shown, sort: search.sort ?? "name", ...page } as const;
      return content(client.GET("/api/v1/catalogue", { params: { query } }));
    },
    CARDS,
  );

export const catalogueEntry = (version: string) =>
  queryOptions({
    queryKey: [...CATALOGUE_KEY, "version", version],
    queryFn: () =>
      content(client.GET("/api/v1/catalogue/{version}", { params: { path: { version } } })),
  });

/** What changes for callers who move from a version to a different version of its API. */
export const callerDifference = (version: string, to: string) =>
  queryOptions({
    queryKey: ["catalogue-difference", version, to],
    queryFn: () => {
      const params = { path: { version }, query: { to } };
      return content(client.GET("/api/v1/catalogue/{version}/difference", { params }));
    },
    staleTime: 60_000,
  });

/** The operations of a version, and the general fields of its document. */
export const versionOperations = (version: string) =>
  queryOptions({
    queryKey: ["catalogue-operations", version],
    queryFn: () =>
      content(
        client.GET("/api/v1/catalogue/{version}/operations", { params: { path: { version } } }),
      ),
    staleTime: 60_000,
  });

/** The OpenAPI document of one operation, with the components it references. */
export const versionOperation = (version: string, operation: string) =>
  queryOptions({
    queryKey: ["catalogue-operations", version, operation],
    queryFn: () => {
      const params = { path: { version, operation } };
      return content(client.GET("/api/v1/catalogue/{version}/operations/{operation}", { params }));
    },
    staleTime: 60_000,
  });

/**
 * Fetches a document of a SOAP service's contract: the WSDL, or a document named by the query of an
 * address in it.
 */
const contractDocument = (version: string, document?: string) => {
  const query = document === undefined ? {} : { document };
  const params = { path: { version }, query };
  const answer = client.GET("/api/v1/catalogue/{version}/contract", { params, parseAs: "text" });
  return content(answer);
};

/** Maximum number of documents; contracts have fewer, and further ones are left out. */
const DOCUMENTS_MAX = 64;

/** Fetches the WSDL and all documents it refers to, which `locationsOf` finds. */
export const contractDocuments = (
  version: string,
  locationsOf: (document: string) => readonly string[],
) =>
  queryOptions({
    queryKey: ["catalogue-contract", version],
    queryFn: async () => {
      const documents = [await contractDocument(version)];
      const known = new Set<string>();
      for (let at = 0; at < documents.length; at += 1) {
        for (const location of locationsOf(documents[at] ?? "")) {
          const [, name] = /\?((?:xsd|wsdl)=\d+)$/.exec(location) ?? [];
          if (name === undefined || known.has(name) || known.size >= DOCUMENTS_MAX) continue;
          known.add(name);
          documents.push(await contractDocument(version, name));
        }
      }
      return documents;
    },
    staleTime: 60_000,
    structuralSharing: false,
  });
