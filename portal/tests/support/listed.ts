// The operations that the HTTP API lists for a document, for tests without a server.

import type { OperationList } from "../../src/api/queries/catalogue";
import { entries, list, member, object, words } from "../../src/reference/document/narrow";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export function listed(document: object): OperationList {
  const operations = [
    ...operationsIn(member(document, "paths"), false),
    ...operationsIn(member(document, "webhooks"), true),
  ];
  return { document: { ...document }, operations, faults: [] };
}

function operationsIn(items: unknown, webhook: boolean): OperationList["operations"] {
  return entries(items).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const written = member(item, method);
      if (object(written) === undefined) return [];
      const operationId = words(member(written, "operationId"));
      const summary = words(member(written, "summary"));
      const dashed = path.replaceAll(/[^\w.]+/g, "-").replaceAll(/^-|-$/g, "");
      return {
        id: dashed === "" ? method : `${method}-${dashed}`,
        method: method.toUpperCase(),
        path,
        ...(operationId !== undefined && { operation_id: operationId }),
        ...(summary !== undefined && { summary }),
        tags: list(member(written, "tags")).flatMap((tag) => words(tag) ?? []),
        deprecated: member(written, "deprecated") === true,
        webhook,
      };
    }),
  );
}
