// The reference of a version with an OpenAPI document. Loads the list of operations, then the
// document of the open operation; prefetches the next one and those the pointer is on.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { type CatalogueEntry, versionOperation, versionOperations } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Loaded } from "../ui/Loaded";
import { type Contents, type OperationHead, contents, operationOf } from "./document/operations";
import { OperationDetails } from "./OperationDetails";
import { Reference } from "./Reference";

export function RestReference({ entry }: { entry: CatalogueEntry }) {
  const { version } = entry;
  const queries = useQueryClient();
  const query = useQuery(versionOperations(version));
  const listed = useMemo(() => query.data && contents(query.data), [query.data]);
  const fetchAhead = (slug: string) => {
    // Errors show when the operation is opened.
    queries.query(versionOperation(version, slug)).catch(() => undefined);
  };
  const source = { path: "document", ending: "json", label: text.reference.document };
  return (
    <Reference entry={entry} query={query} contents={listed} source={source} onIntent={fetchAhead}>
      {(head, listed) => (
        <RestOperation entry={entry} contents={listed} head={head} fetchAhead={fetchAhead} />
      )}
    </Reference>
  );
}

interface RestOperationProps {
  entry: CatalogueEntry;
  contents: Contents;
  head: OperationHead;
  fetchAhead: (slug: string) => void;
}

function RestOperation({ entry, contents, head, fetchAhead }: RestOperationProps) {
  const query = useQuery(versionOperation(entry.version, head.slug));
  const document: unknown = query.data;
  const isLoaded = query.isSuccess;
  const { operations } = contents;
  const next = operations[operations.findIndex(({ slug }) => slug === head.slug) + 1]?.slug;
  useEffect(() => {
    if (isLoaded && next !== undefined) fetchAhead(next);
    // Once per open operation.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isLoaded, next]);
  const described = useMemo(
    () => ({ document, contents, operation: operationOf.bind(null, document) }),
    [document, contents],
  );
  return (
    <Loaded query={query}>
      {() => <OperationDetails entry={entry} described={described} head={head} />}
    </Loaded>
  );
}
