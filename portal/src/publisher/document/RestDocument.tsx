// The OpenAPI document of a draft: facts, and its replacement in steps: select, compare, save,
// deploy.

import { useState } from "react";
import type { Source } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Grid } from "../../ui/Page";
import { PreviewStep } from "../import/PreviewStep";
import { SourceStep } from "../import/SourceStep";
import type { Shown } from "../versions/VersionFrame";
import { FactsCard } from "./FactsCard";
import { Lead } from "./Lead";
import { ReplacePreview } from "./ReplacePreview";
import { type SavedOver, SavedNote } from "./SavedNote";
import { StepStart } from "./StepStart";
import { NO_CHOICE } from "./use_replacement";

const words = text.publisher.version.document;

export function RestDocument({ shown }: { shown: Shown }) {
  const [source, setSource] = useState<Source | null>(null);
  const [choice, setChoice] = useState(NO_CHOICE);
  const [saved, setSaved] = useState<SavedOver | null>(null);
  const [isVersion, setVersion] = useState(false);
  const start = (chosen: Source | null) => {
    setSource(chosen);
    setChoice(NO_CHOICE);
  };
  if (source && isVersion) {
    return <AsNewVersion shown={shown} source={source} onBack={() => setVersion(false)} />;
  }
  if (source) {
    return (
      <ReplacePreview
        key={source.id}
        shown={shown}
        source={source}
        choice={choice}
        onChoice={setChoice}
        onSaved={() => {
          setSaved({ deployed: shown.version.deployed_revision });
          start(null);
        }}
        onOther={() => start(null)}
        onVersion={() => setVersion(true)}
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
      <SourceStep form="openapi" onSource={start} />
    </Grid>
  );
}

interface AsNewVersionProps {
  shown: Shown;
  source: Source;
  onBack: () => void;
}

/** The document as another version, which leaves the callers of this one alone. */
function AsNewVersion({ shown: { api, version }, source, onBack }: AsNewVersionProps) {
  return (
    <StepStart>
      <Grid columns="1">
        <div>
          <Button onPress={onBack}>{words.back}</Button>
        </div>
        {/* The document has been read, so its form is known and nothing is published here. */}
        <PreviewStep
          source={source}
          name={api.name}
          from={version.id}
          onForm={onBack}
          onDone={onBack}
        />
      </Grid>
    </StepStart>
  );
}
