import type { CatalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Download } from "../ui/Download";
import { Loaded, type Question } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { ChosenOperation, crumbsOf } from "./ChosenOperation";
import type { Described } from "./described";

interface ReferenceProps {
  entry: CatalogueEntry;
  query: Question<unknown>;
  /** Absent until there is an answer. */
  described: Described | undefined;
  /** The document that it is made of: where it is below the entry, and its file. */
  source: { path: string; ending: string; label: string };
}

/** The reference of a version, once its document has come. */
export function Reference({ entry, query, described, source }: ReferenceProps) {
  if (described === undefined) {
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
  return <ChosenOperation entry={entry} described={described} download={download} />;
}
