// The published API: address, first call, next steps.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CatalogueEntry, catalogueEntry } from "../../api/queries/catalogue";
import { AccessDialog } from "../../developer/access/AccessDialog";
import { useExample } from "../../developer/access/use_example";
import { paths } from "../../paths";
import type { CallRequest } from "../../reference/call_request";
import { placeholdersOf } from "../../reference/snippets/credentials";
import { curl } from "../../reference/snippets/curl";
import { snippetWith, variablesOf } from "../../reference/snippets/snippet";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Code, InlineCode } from "../../ui/Code";
import { Actions } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Narrow } from "../Narrow";
import type { Saved } from "./publishing";

const words = text.publisher.import.published;

export function PublishedStep({ saved: { version, isBehind } }: { saved: Saved }) {
  const query = useQuery(catalogueEntry(version));
  return (
    <Narrow>
      {isBehind && <Note tone="warning">{words.behind}</Note>}
      <Loaded query={query}>
        {(entry) => (
          <>
            <Note tone="good">{words.done(`${entry.api_name} ${entry.name}`)}</Note>
            <FirstCall entry={entry} />
          </>
        )}
      </Loaded>
      <Card title={words.next}>
        <Actions>
          <ButtonLink {...paths.ownVersion(version)}>{words.toVersion}</ButtonLink>
          <ButtonLink {...paths.version(version)}>{words.toCatalogue}</ButtonLink>
          <ButtonLink {...paths.ownApis()}>{text.publisher.apis.title}</ButtonLink>
        </Actions>
      </Card>
    </Narrow>
  );
}

function FirstCall({ entry }: { entry: CatalogueEntry }) {
  const [isOpen, setOpen] = useState(false);
  const call = useExample(entry);
  return (
    <Card title={words.call}>
      <div>
        <InlineCode value={entry.address} label={words.address} />
      </div>
      {call && <Code value={curlLines(entry, call)} label={words.curl} />}
      <div>
        <Button look="primary" onPress={() => setOpen(true)}>
          {words.key}
        </Button>
      </div>
      {isOpen && <AccessDialog entry={entry} onClose={() => setOpen(false)} />}
    </Card>
  );
}

/** Formats a call for a POSIX shell; the user fills in the first lines. */
function curlLines({ security }: CatalogueEntry, call: CallRequest): string {
  const proofs = placeholdersOf(security).slice(0, 1);
  const variables = variablesOf(proofs).map((name) => `${name}='…'`);
  return [...variables, curl(snippetWith(call, proofs))].join("\n");
}
