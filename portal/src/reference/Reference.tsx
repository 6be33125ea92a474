import type { ReactNode } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Download } from "../ui/Download";
import { Loaded, type Question } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { ChosenOperation, crumbsOf } from "./ChosenOperation";
import type { Contents, OperationHead } from "./document/operations";

interface ReferenceProps {
  entry: CatalogueEntry;
  query: Question<unknown>;
  /** Absent until loaded. */
  contents: Contents | undefined;
  /** The source document: its path below the entry, and its file. */
  source: { path: string; ending: string; label: string };
  /** Called with the slug of an operation that may be opened next. */
  onIntent?: (slug: string) => void;
  /** Renders the open operation. */
  children: (head: OperationHead, contents: Contents) => ReactNode;
}

/** The reference of a version, shown once its operations are loaded. */
export function Reference({ entry, query, contents, source, ...chosen }: ReferenceProps) {
  if (contents === undefined) {
    return (
      <Page title={text.reference.title} crumbs={crumbsOf(entry)}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const download = (
    <Download
      href={`/api/v1/catalogue/${encodeURIComponent(entry.version)}/${source.path}`}
      name={`${entry.api_name} ${entry.name}.${source.ending}`}
      isSmall={false}
    >
      {source.label}
    </Download>
  );
  return <ChosenOperation entry={entry} contents={contents} download={download} {...chosen} />;
}
