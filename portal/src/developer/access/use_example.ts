import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type CatalogueEntry,
  contractDocuments,
  versionDocument,
} from "../../api/queries/catalogue";
import type { CallRequest } from "../../reference/call_request";
import { contents, operationOf } from "../../reference/document/operations";
import { locationsOf } from "../../reference/soap/contract";
import { describeSoap } from "../../reference/soap/described";
import { exampleCall } from "./example_call";

/** A call of a version that can be made as it stands; undefined until its document has come. */
export function useExample({ version, kind, address }: CatalogueEntry): CallRequest | undefined {
  const isSoap = kind === "soap";
  const rest = useQuery({ ...versionDocument(version), enabled: !isSoap });
  const soap = useQuery({ ...contractDocuments(version, locationsOf), enabled: isSoap });
  const isAsked = isSoap ? !soap.isPending : !rest.isPending;
  const document: unknown = rest.data;
  const contract = soap.data;
  return useMemo(() => {
    if (!isAsked) return undefined;
    if (contract) return exampleCall(describeSoap(contract), address);
    const operation = operationOf.bind(null, document);
    return exampleCall({ document, contents: contents(document), operation }, address);
  }, [isAsked, contract, document, address]);
}
