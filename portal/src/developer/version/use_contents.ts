import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type CatalogueEntry, versionOperations } from "../../api/queries/catalogue";
import { type Contents, contents } from "../../reference/document/operations";
import { soapContract } from "../../reference/soap/query";
import type { Question } from "../../ui/Loaded";

/** Returns the operations of a version, from its document or contract, and their query. */
export function useContents({ version, kind }: CatalogueEntry) {
  const isSoap = kind === "soap";
  const rest = useQuery({ ...versionOperations(version), enabled: !isSoap });
  const soap = useQuery({ ...soapContract(version), enabled: isSoap });
  const listed = useMemo(() => rest.data && contents(rest.data), [rest.data]);
  const query: Question<unknown> = isSoap ? soap : rest;
  const found: Contents | undefined = isSoap ? soap.data?.contents : listed;
  return { query, contents: found };
}
