// "Try it" for the publisher of a version: its reference, with an application of the publisher's
// own that calls.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { catalogueEntry } from "../../api/queries/catalogue";
import type { Version } from "../../api/queries/versions";
import { TrialDialog } from "../../developer/access/AccessDialog";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";

/** Nothing while the version cannot be called. */
export function TryOwn({ version: { id, state } }: { version: Version }) {
  const isCallable = state === "published" || state === "prototyped" || state === "deprecated";
  const entry = useQuery({ ...catalogueEntry(id), enabled: isCallable }).data;
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  if (!isCallable || entry === undefined) return null;
  const isSubscribed = entry.mine?.subscriptions.some(({ status }) => status === "active");
  const toReference = () => void navigate(paths.reference(id));
  const isReady = isSubscribed || entry.plans.length === 0;
  return (
    <>
      <Button onPress={isReady ? toReference : () => setOpen(true)}>
        {text.publisher.version.tryIt}
      </Button>
      {isOpen && <TrialDialog entry={entry} onReady={toReference} onClose={() => setOpen(false)} />}
    </>
  );
}
