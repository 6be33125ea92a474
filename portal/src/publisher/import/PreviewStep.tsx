// The preview of a document, choices that override it, and "Publish".

import { keepPreviousData, useQuery } from "@tanstack/react-query";
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
import { NewVersionForm } from "./NewVersionForm";
import { PublishForm } from "./PublishForm";
import type { Saved } from "./publishing";

const words = text.publisher.import.preview;

interface PreviewStepProps {
  source: Source;
  /** The name of an API that gets the document as a version; by default the document's title. */
  name?: string;
  /** Id of the version that a new one copies at first; the newest one when absent. */
  from?: string;
  /** Called if the document at a URL has another form than its address suggests. */
  onForm: (form: Form) => void;
  onDone: (saved: Saved) => void;
}

export function PreviewStep({ source, name, from, onForm, onDone }: PreviewStepProps) {
  const [chosen, setChosen] = useState<Kind>("soap");
  const [isSaved, setSaved] = useState(false);
  const [isOther, setOther] = useState(false);
  const query = useQuery({ ...preview(source, chosen, name), placeholderData: keepPreviousData });
  const form = query.data?.form ?? source.form;
  const kind = form === "wsdl" ? chosen : "rest";
  const api = form === "openapi" ? query.data?.newVersionOf : undefined;
  return (
    <Grid columns="2-1">
      <Grid columns="1">
        {form === "wsdl" && !isSaved && <KindCard kind={kind} onChange={setChosen} />}
        {query.data && api && !isOther && (
          <NewVersionForm
            source={source}
            preview={query.data}
            api={api}
            from={from}
            onOther={name === undefined ? () => setOther(true) : undefined}
          />
        )}
        {query.data && (!api || isOther) && (
          <PublishForm
            key={form}
            source={source}
            preview={query.data}
            kind={kind}
            onSaved={() => setSaved(true)}
            onDone={onDone}
          />
        )}
        {query.isError && <DocumentFaults error={query.error} source={source} onForm={onForm} />}
        {query.isPending && <Skeleton />}
      </Grid>
      <Grid columns="1">{query.data && <Found preview={query.data} />}</Grid>
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
