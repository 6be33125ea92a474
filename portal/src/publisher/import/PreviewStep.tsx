// What would come of a document, what one may say otherwise, and "Publish".

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Kind } from "../../api/queries/apis";
import { type Form, type Source, preview } from "../../api/queries/imports";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Skeleton } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { RadioGroup } from "../../ui/RadioGroup";
import { DocumentFaults } from "./DocumentFaults";
import { Found } from "./Found";
import { PublishForm } from "./PublishForm";
import type { Saved } from "./publishing";

const words = text.publisher.import.preview;

interface PreviewStepProps {
  source: Source;
  /** An address whose document was another one than it looked like. */
  onForm: (form: Form) => void;
  onDone: (saved: Saved) => void;
}

export function PreviewStep({ source, onForm, onDone }: PreviewStepProps) {
  const [kind, setKind] = useState<Kind>(source.form === "wsdl" ? "soap" : "rest");
  const [isSaved, setSaved] = useState(false);
  const query = useQuery(preview(source, kind));
  return (
    <Grid columns="2-1">
      <div>
        {source.form === "wsdl" && !isSaved && <KindCard kind={kind} onChange={setKind} />}
        {query.data && (
          <PublishForm
            key={kind}
            source={source}
            preview={query.data}
            kind={kind}
            onSaved={() => setSaved(true)}
            onDone={onDone}
          />
        )}
        {query.isError && <DocumentFaults error={query.error} source={source} onForm={onForm} />}
        {query.isPending && <Skeleton />}
      </div>
      <div>{query.data && <Found preview={query.data} />}</div>
    </Grid>
  );
}

function KindCard({ kind, onChange }: { kind: Kind; onChange: (kind: Kind) => void }) {
  return (
    <Card>
      <RadioGroup<Kind>
        label={words.kind}
        value={kind}
        onChange={onChange}
        choices={[
          { value: "soap", label: words.soap, detail: words.soapDetail },
          { value: "soap_to_rest", label: words.rest, detail: words.restDetail },
        ]}
      />
    </Card>
  );
}
