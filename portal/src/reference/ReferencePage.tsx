// The reference of a version, one operation at a time, with try-it.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { catalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Loaded } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { RestReference } from "./RestReference";
import { SoapReference } from "./SoapReference";

export function ReferencePage() {
  const { version = "" } = useParams({ strict: false });
  const query = useQuery(catalogueEntry(version));
  if (query.data === undefined) {
    return (
      <Page title={text.reference.title}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return query.data.kind === "soap" ? (
    <SoapReference entry={query.data} />
  ) : (
    <RestReference entry={query.data} />
  );
}
