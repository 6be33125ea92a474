// What is known of the draft's document, and its download.

import { useQuery } from "@tanstack/react-query";
import { draftDocument } from "../../api/queries/documents";
import { bytes, count } from "../../text/format";
import { titleOf } from "../../reference/document/title";
import { text } from "../../text/text";
import { Card, Facts } from "../../ui/Card";
import { Download } from "../../ui/Download";
import { Loaded } from "../../ui/Loaded";
import { type Shown, operationsOf } from "../versions/VersionFrame";
import { factsOf } from "./document_facts";

const words = text.publisher.version.document;

export function FactsCard({ shown }: { shown: Shown }) {
  const { api, version, draft } = shown;
  const query = useQuery(draftDocument(version.id));
  const href = `/api/v1/versions/${version.id}/document?of=draft`;
  return (
    <Card
      title={words.title}
      note={words.lead[api.kind]}
      actions={
        query.data && (
          <Download href={href} name={fileNameOf(shown)}>
            {words.download}
          </Download>
        )
      }
    >
      <Loaded query={query}>
        {(document) =>
          document === null ? (
            <p>{words.none}</p>
          ) : (
            <Facts facts={rowsOf(document, operationsOf(draft.value))} />
          )
        }
      </Loaded>
    </Card>
  );
}

function rowsOf(document: string, operations: number): (readonly [string, string])[] {
  const { facts } = words;
  const { title, version, format, syntax } = factsOf(document);
  return [
    ...(title === undefined ? [] : [[facts.title, titleOf(title) ?? title] as const]),
    ...(version === undefined ? [] : [[facts.version, version] as const]),
    [facts.format, format === undefined ? syntax : words.format(format, syntax)],
    [facts.size, bytes(new Blob([document]).size)],
    [facts.operations, count(operations)],
  ];
}

/** Returns the file name of the download; of an OpenAPI document it ends by its format. */
function fileNameOf({ api: { context, kind }, version: { name } }: Shown): string {
  const stem = `${context}-${name}`.replaceAll(/[^\w.-]+/g, "-").replace(/^-+/, "");
  return kind === "soap" ? `${stem}.wsdl` : stem;
}
