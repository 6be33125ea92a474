// From a document to a published API, or to a version of an API: select, preview, publish. Nothing
// is saved before the last step.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/queries/apis";
import type { Source } from "../../api/queries/imports";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { NoFormYet } from "../NoFormYet";
import { PreviewStep } from "./PreviewStep";
import { PublishedStep } from "./PublishedStep";
import { SourceStep } from "./SourceStep";
import type { Saved } from "./publishing";

const words = text.publisher.import;
const route = getRouteApi("/shell/publisher/publish/new");

export function NewApiPage() {
  const { api: of } = route.useSearch();
  const [source, setSource] = useState<Source | null>(null);
  const [published, setPublished] = useState<Saved | null>(null);
  const crumbs = [
    { label: text.publisher.apis.title, link: paths.ownApis() },
    { label: of === undefined ? words.title : words.newVersion.title },
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
    const previewed = {
      source,
      onForm: (form: Source["form"]) => setSource({ ...source, form, id: crypto.randomUUID() }),
      onDone: setPublished,
    };
    return (
      <Page title={words.preview.title} lead={words.preview.lead} crumbs={crumbs} actions={other}>
        {of === undefined ? (
          <PreviewStep key={source.id} {...previewed} />
        ) : (
          <VersionPreview key={source.id} {...previewed} of={of} />
        )}
      </Page>
    );
  }
  if (of !== undefined) {
    return (
      <Page title={words.newVersion.title} lead={words.newVersion.pageLead} crumbs={crumbs}>
        <SourceStep form="openapi" onSource={setSource} />
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

interface VersionPreviewProps extends Omit<Parameters<typeof PreviewStep>[0], "name"> {
  /** The API that gets a version. */
  of: string;
}

/** Previews the document under the name of the API, whatever its own title. */
function VersionPreview({ of, ...previewed }: VersionPreviewProps) {
  const query = useQuery(api(of));
  return <Loaded query={query}>{({ name }) => <PreviewStep {...previewed} name={name} />}</Loaded>;
}
