// The OpenAPI document of a draft: facts, and its replacement in steps: select, compare, save,
// deploy.

import { useState } from "react";
import type { Source } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Grid } from "../../ui/Page";
import { SourceStep } from "../import/SourceStep";
import type { Shown } from "../versions/VersionFrame";
import { FactsCard } from "./FactsCard";
import { Lead } from "./Lead";
import { ReplacePreview } from "./ReplacePreview";
import { type SavedOver, SavedNote } from "./SavedNote";

const words = text.publisher.version.document;

export function RestDocument({ shown }: { shown: Shown }) {
  const [source, setSource] = useState<Source | null>(null);
  const [saved, setSaved] = useState<SavedOver | null>(null);
  if (source) {
    return (
      <ReplacePreview
        key={source.id}
        shown={shown}
        source={source}
        onSaved={() => {
          setSaved({ deployed: shown.version.deployed_revision });
          setSource(null);
        }}
        onOther={() => setSource(null)}
      />
    );
  }
  return (
    <Grid columns="1">
      <SavedNote shown={shown} saved={saved}>
        {words.saved.document}
      </SavedNote>
      <FactsCard shown={shown} />
      <Lead {...words.replace.rest} />
      <SourceStep form="openapi" onSource={setSource} />
    </Grid>
  );
}
