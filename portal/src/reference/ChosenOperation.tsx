import { Navigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { paths } from "../paths";
import { text } from "../text/text";
import { ButtonLink } from "../ui/Button";
import { Card } from "../ui/Card";
import { Empty } from "../ui/Empty";
import { Page } from "../ui/Page";
import type { Contents, OperationHead } from "./document/operations";
import { OperationPage } from "./OperationPage";

const words = text.reference;

interface ChosenOperationProps {
  entry: CatalogueEntry;
  contents: Contents;
  download: ReactNode;
  onIntent?: (slug: string) => void;
  children: (head: OperationHead, contents: Contents) => ReactNode;
}

/** The operation named by the address; the first one if there is none. */
export function ChosenOperation({ children, ...shown }: ChosenOperationProps) {
  const { entry, contents, download } = shown;
  const { operation: named } = useParams({ strict: false });
  const { operations, faults } = contents;
  const [first] = operations;
  if (named === undefined && first !== undefined) {
    return <Navigate {...paths.operation(entry.version, first.slug)} replace />;
  }
  // Links may also use the operation's id in the document.
  const head =
    operations.find(({ slug }) => slug === named) ?? operations.find(({ id }) => id === named);
  if (head !== undefined) {
    return (
      <OperationPage {...shown} head={head}>
        {children(head, contents)}
      </OperationPage>
    );
  }
  const toFirst = first && (
    <ButtonLink {...paths.operation(entry.version, first.slug)}>{words.firstOperation}</ButtonLink>
  );
  return (
    <Page title={words.title} crumbs={crumbsOf(entry)} actions={download}>
      <Card flush>
        <Empty action={toFirst}>
          {first === undefined ? [words.noOperations, ...faults].join(" ") : words.unknownOperation}
        </Empty>
      </Card>
    </Page>
  );
}

export function crumbsOf(entry: CatalogueEntry) {
  return [
    { label: text.developer.catalogue.title, link: paths.catalogue() },
    { label: `${entry.api_name} ${entry.name}`, link: paths.version(entry.version) },
    { label: words.title },
  ];
}
