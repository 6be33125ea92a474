// What a version can do, one operation at a time, and a place to try it.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { type CatalogueEntry, catalogueEntry, versionDocument } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { contents, operationOf } from "./document/operations";
import { Reference } from "./Reference";
import { SoapReference } from "./SoapReference";
import type { Described } from "./described";

const words = text.reference;

export function ReferencePage() {
  const { version = "" } = useParams({ strict: false });
  const query = useQuery(catalogueEntry(version));
  if (query.data === undefined) {
    return (
      <Page title={words.title}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return query.data.kind === "soap" ? (
    <SoapReference entry={query.data} />
  ) : (
    <RestReference entry={query.data} />
  );
}

function RestReference({ entry }: { entry: CatalogueEntry }) {
  const query = useQuery(versionDocument(entry.version));
  const document: unknown = query.data;
  const described = useMemo((): Described | undefined => {
    if (document === undefined) return undefined;
    return {
      document,
      contents: contents(document),
      operation: (head) => operationOf(document, head),
    };
  }, [document]);
  const source = { path: "document", ending: "json", label: words.document };
  return <Reference entry={entry} query={query} described={described} source={source} />;
}
