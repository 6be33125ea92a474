// What a version can do, one operation at a time, and a place to try it.

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { catalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Loaded, Skeleton } from "../ui/Loaded";
import { Page } from "../ui/Page";
import { RestReference } from "./RestReference";

const SoapReference = lazy(() => import("./SoapReference"));

export function ReferencePage() {
  const { version = "" } = useParams({ strict: false });
  const query = useQuery(catalogueEntry(version));
  const waiting = (
    <Page title={text.reference.title}>
      <Loaded query={query}>{() => <Skeleton />}</Loaded>
    </Page>
  );
  if (query.data === undefined) return waiting;
  if (query.data.kind !== "soap") return <RestReference entry={query.data} />;
  return (
    <Suspense fallback={waiting}>
      <SoapReference entry={query.data} />
    </Suspense>
  );
}
