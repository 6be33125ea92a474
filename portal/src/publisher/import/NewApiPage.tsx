// From a document to a published API: select, preview, publish. Nothing is saved before the last
// step.

import { useState } from "react";
import type { Source } from "../../api/queries/imports";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Page } from "../../ui/Page";
import { NoFormYet } from "../NoFormYet";
import { PreviewStep } from "./PreviewStep";
import { PublishedStep } from "./PublishedStep";
import { SourceStep } from "./SourceStep";
import type { Saved } from "./publishing";

const words = text.publisher.import;

export function NewApiPage() {
  const [source, setSource] = useState<Source | null>(null);
  const [published, setPublished] = useState<Saved | null>(null);
  const crumbs = [
    { label: text.publisher.apis.title, link: paths.ownApis() },
    { label: words.title },
  ];
  if (published) {
    return (
      <Page title={words.published.title} crumbs={crumbs}>
        <PublishedStep saved={published} />
      </Page>
    );
  }
  if (source) {
    const other = <Button onPress={() => setSource(null)}>{words.other}</Button>;
    return (
      <Page title={words.preview.title} lead={words.preview.lead} crumbs={crumbs} actions={other}>
        <PreviewStep
          key={source.id}
          source={source}
          onForm={(form) => setSource({ ...source, form, id: crypto.randomUUID() })}
          onDone={setPublished}
        />
      </Page>
    );
  }
  return (
    <Page title={words.title} lead={words.lead} crumbs={crumbs}>
      <SourceStep onSource={setSource} />
      <NoFormYet
        command={{
          method: "POST",
          path: "/apis",
          body: { name: "Parcels", context: "/parcels", version: "1.0" },
        }}
      >
        {words.noForm}
      </NoFormYet>
    </Page>
  );
}
