import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type CatalogueEntry,
  contractDocuments,
  versionOperations,
} from "../../api/queries/catalogue";
import { type Contents, contents } from "../../reference/document/operations";
import { locationsOf } from "../../reference/soap/contract";
import { describeSoap } from "../../reference/soap/described";
import type { Question } from "../../ui/Loaded";

/** What a version can do, by its document or its contract, and the query that asks for it. */
export function useContents({ version, kind }: CatalogueEntry) {
  const isSoap = kind === "soap";
  const rest = useQuery({ ...versionOperations(version), enabled: !isSoap });
  const soap = useQuery({ ...contractDocuments(version, locationsOf), enabled: isSoap });
  const [listed, documents] = [rest.data, soap.data];
  const found = useMemo((): Contents | undefined => {
    if (documents) return describeSoap(documents).contents;
    return listed && contents(listed);
  }, [listed, documents]);
  const query: Question<unknown> = isSoap ? soap : rest;
  return { query, contents: found };
}
