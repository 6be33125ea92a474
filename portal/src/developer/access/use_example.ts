import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type CatalogueEntry,
  versionOperation,
  versionOperations,
} from "../../api/queries/catalogue";
import type { CallRequest } from "../../reference/call_request";
import { contents, operationOf } from "../../reference/document/operations";
import { soapContract } from "../../reference/soap/query";
import { exampleCall, firstOf } from "./example_call";

/** Returns a complete call of a version; undefined until its description is loaded. */
export function useExample(entry: CatalogueEntry): CallRequest | undefined {
  const { version, kind, address } = entry;
  const isSoap = kind === "soap";
  const rest = useRestExample(entry, !isSoap);
  const { data: described, isPending } = useQuery({ ...soapContract(version), enabled: isSoap });
  return useMemo(() => {
    if (!isSoap) return rest;
    return isPending ? undefined : exampleCall(described, address);
  }, [isSoap, isPending, described, address, rest]);
}

/** Returns an example call; a call of the root if the description cannot be loaded. */
function useRestExample({ version, address }: CatalogueEntry, enabled: boolean) {
  const list = useQuery({ ...versionOperations(version), enabled });
  const listed = useMemo(() => {
    return contents(list.data ?? { document: {}, operations: [], faults: [] });
  }, [list.data]);
  const slug = firstOf(listed)?.slug;
  const operation = useQuery({
    ...versionOperation(version, slug ?? ""),
    enabled: slug !== undefined,
  });
  const isLoaded = !list.isPending && (slug === undefined || !operation.isPending);
  const document: unknown = operation.data;
  return useMemo(() => {
    if (!isLoaded) return undefined;
    const described = { document, contents: listed, operation: operationOf.bind(null, document) };
    return exampleCall(described, address);
  }, [isLoaded, document, listed, address]);
}
