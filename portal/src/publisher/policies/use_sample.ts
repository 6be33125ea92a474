// Loads the example of an operation: from the document that callers read, else from its path alone.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { LISTED_STATES, versionOperation, versionOperations } from "../../api/queries/catalogue";
import type { Version } from "../../api/queries/versions";
import { contents, operationOf } from "../../reference/document/operations";
import { soapContract } from "../../reference/soap/query";
import type { Kind } from "./policies";
import { type Sample, bareSample, sampleOfOperation } from "./sample";

/** Returns the example of an operation, by method and path; undefined while it is loaded. */
export function useSample(
  { id, state }: Version,
  kind: Kind,
  operation: string | undefined,
): Sample | undefined {
  const isListed = LISTED_STATES.some((it) => it === state);
  const rest = useRestSample(id, isListed && kind !== "soap", operation);
  const soap = useQuery({ ...soapContract(id), enabled: isListed && kind === "soap" });
  return useMemo(() => {
    if (!isListed) return bareSample(kind === "soap" ? "POST /" : operation);
    if (kind !== "soap") return rest;
    const described = soap.data;
    const head = described?.contents.operations[0];
    if (described && head) return sampleOfOperation(described, head);
    return soap.isPending ? undefined : bareSample("POST /");
  }, [isListed, kind, operation, rest, soap.data, soap.isPending]);
}

function useRestSample(id: string, enabled: boolean, operation: string | undefined) {
  const list = useQuery({ ...versionOperations(id), enabled });
  const listed = useMemo(
    () => contents(list.data ?? { document: {}, operations: [], faults: [] }),
    [list.data],
  );
  const head = listed.operations.find(
    ({ method, path, isWebhook }) => !isWebhook && `${method} ${path}` === operation,
  );
  const one = useQuery({ ...versionOperation(id, head?.slug ?? ""), enabled: head !== undefined });
  const isLoaded = !list.isPending && (head === undefined || !one.isPending);
  const document: unknown = one.data;
  return useMemo(() => {
    if (!isLoaded) return undefined;
    if (head === undefined || document === undefined) return bareSample(operation);
    const described = { document, contents: listed, operation: operationOf.bind(null, document) };
    return sampleOfOperation(described, head);
  }, [isLoaded, head, document, listed, operation]);
}
