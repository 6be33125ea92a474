// "Try it" for the publisher of a version: opens its reference, with one of the publisher's own
// applications as the caller.

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type CatalogueEntry, catalogueEntry } from "../../api/queries/catalogue";
import { queryClient } from "../../api/query_client";
import type { Version } from "../../api/queries/versions";
import { TrialDialog } from "../../developer/access/AccessDialog";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { notifyProblem } from "../../ui/Notices";

/** Renders nothing while the version cannot be called. */
export function TryOwn({ version: { id, state } }: { version: Version }) {
  const [entry, setEntry] = useState<CatalogueEntry | null>(null);
  const navigate = useNavigate();
  if (state !== "published" && state !== "prototyped" && state !== "deprecated") return null;
  const toReference = () => void navigate(paths.reference(id));
  const onReady = () => {
    // What is cached of the version does not have the new subscription.
    queryClient.removeQueries(catalogueEntry(id));
    toReference();
  };
  const begin = async () => {
    try {
      const found = await queryClient.query({ ...catalogueEntry(id), staleTime: 0 });
      const isSubscribed = found.mine?.subscriptions.some(({ status }) => status === "active");
      if (isSubscribed || found.plans.length === 0) toReference();
      else setEntry(found);
    } catch (error) {
      notifyProblem(error);
    }
  };
  return (
    <>
      <Button onPress={() => void begin()}>{text.publisher.version.tryIt}</Button>
      {entry && <TrialDialog entry={entry} onReady={onReady} onClose={() => setEntry(null)} />}
    </>
  );
}
