// What a version can do, one operation at a time, and a place to try it.

import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { type CatalogueEntry, catalogueEntry, versionDocument } from "../api/queries/catalogue";
import { paths } from "../paths";
import { text } from "../text/text";
import { ButtonLink } from "../ui/Button";
import { Download } from "../ui/Download";
import { Empty } from "../ui/Empty";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { contents, operationOf } from "./document/operations";
import { OperationPage } from "./OperationPage";
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
  if (described === undefined) {
    return (
      <Page title={words.title} crumbs={crumbsOf(entry)}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const base = `/api/v1/catalogue/${encodeURIComponent(entry.version)}`;
  const download = (
    <Download href={`${base}/document`} name={`${entry.api_name} ${entry.name}.json`}>
      {words.document}
    </Download>
  );
  return <ChosenOperation entry={entry} described={described} download={download} />;
}

interface ChosenProps {
  entry: CatalogueEntry;
  described: Described;
  download: React.ReactNode;
}

/** The operation that the address names; where it names none, the first one. */
export function ChosenOperation({ entry, described, download }: ChosenProps) {
  const { operation: named } = useParams({ strict: false });
  const { operations } = described.contents;
  const [first] = operations;
  // Links may also name an operation by its id in the document.
  const head =
    operations.find(({ slug }) => slug === named) ?? operations.find(({ id }) => id === named);
  if (named === undefined && first !== undefined) {
    return <Navigate {...paths.operation(entry.version, first.slug)} replace />;
  }
  if (head === undefined) {
    return (
      <Page title={words.title} crumbs={crumbsOf(entry)} actions={download}>
        {described.contents.faults.map((fault) => (
          <p key={fault}>{fault}</p>
        ))}
        <Empty
          action={
            first && (
              <ButtonLink {...paths.operation(entry.version, first.slug)}>
                {words.firstOperation}
              </ButtonLink>
            )
          }
        >
          {first === undefined ? words.noOperations : words.unknownOperation}
        </Empty>
      </Page>
    );
  }
  return (
    <OperationPage
      key={head.slug}
      entry={entry}
      described={described}
      head={head}
      download={download}
    />
  );
}

function crumbsOf(entry: CatalogueEntry) {
  return [
    { label: text.developer.catalogue.title, link: paths.catalogue() },
    { label: `${entry.api_name} ${entry.name}`, link: paths.version(entry.version) },
    { label: words.title },
  ];
}
