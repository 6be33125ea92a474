// Makes a version the default one of its API: shows the callers that are refused then.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DefaultChange } from "../../api/queries/impact";
import { impactOfMove } from "../../api/queries/lifecycle";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import { makeDefault } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Dialog } from "../../ui/Dialog";
import { DialogForm } from "../../ui/FormDialog";
import { Loaded, Skeleton } from "../../ui/Loaded";
import { notify } from "../../ui/Notices";
import { ProblemNote } from "../../ui/ProblemNote";
import { DefaultNote } from "./DefaultFields";
import { NO_DEFAULT, callableAmong, stepWithDefault } from "./default_version";
import { useTried } from "./use_tried";

const words = text.publisher.version.moves.default;

interface MakeDefaultProps {
  row: VersionOverview;
  onClose: () => void;
}

/** The dialog; its form needs the present default version. */
export function MakeDefault({ row, onClose }: MakeDefaultProps) {
  const query = useQuery(versionsOfApi(row.api).whole);
  const name = text.publisher.version.named(row.api_name, row.name);
  return (
    <Dialog title={words.makeTitle(name)} isOpen onClose={onClose}>
      <Loaded query={query}>
        {({ items }) => (
          <MakeForm {...{ row, onClose }} present={items.find((it) => it.is_default)} />
        )}
      </Loaded>
    </Dialog>
  );
}

interface MakeFormProps extends MakeDefaultProps {
  /** The present default version, if there is one. */
  present: VersionOverview | undefined;
}

function MakeForm({ row, present, onClose }: MakeFormProps) {
  // It changes before the dialog closes.
  const [previous] = useState(present);
  const { version, name, context } = row;
  const isCallable = callableAmong([row]).length > 0;
  const step = previous && stepWithDefault(previous, isCallable ? version : NO_DEFAULT);
  const impact = impactOfMove(previous?.version ?? version, step ?? { to: row.state });
  const tried = useTried(impact, step !== undefined);
  if (step && !tried) return <Skeleton />;
  const change = step ? tried?.defaultChange : unnoticed(row, isCallable);
  const submit = async () => {
    await makeDefault(version);
    notify(text.publisher.api.madeDefault(name));
    onClose();
  };
  return (
    <DialogForm
      submit={words.makeConfirm}
      isDisabled={tried?.isTrying ?? false}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{previous ? words.makeLead(previous.name) : words.makeFirst}</p>
      {tried?.error && <ProblemNote error={tried.error} onRetry={tried.retry} />}
      {change && <DefaultNote {...{ context, change }} unavailable={unavailable(row)} />}
    </DialogForm>
  );
}

/** A change that refuses no calls of subscribed applications. */
function unnoticed(row: VersionOverview, isCallable: boolean): DefaultChange {
  const { version: id, name, state } = row;
  return { next: isCallable ? { id, name, state } : null, lacking: 0, applications: [] };
}

function unavailable({ state, context }: VersionOverview): string | undefined {
  return state === "created" || state === "blocked" ? words.until[state](context) : undefined;
}
