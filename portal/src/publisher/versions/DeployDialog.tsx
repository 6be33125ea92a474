// Deploys the draft, as a new revision, or an existing revision: shows what changes for callers,
// and takes the reason.

import { useState } from "react";
import { type Side, deploy, makeRevision } from "../../api/queries/revisions";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Note } from "../../ui/Note";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import { ChangesForCallers } from "./ChangesForCallers";
import type { Shown } from "./VersionFrame";
import { useChanges } from "./use_changes";

const words = text.publisher.version.deploy;

interface DeployDialogProps {
  shown: Shown;
  /** The revision to deploy; absent for the draft. */
  revision?: number;
  onClose: () => void;
}

export function DeployDialog({ shown, revision, onClose }: DeployDialogProps) {
  const [note, setNote] = useState("");
  // If a deployment failed, the revision already exists and is not created again.
  const [made, setMade] = useState<number | null>(null);
  const withoutTokens = useWithoutTokens();
  const { id, deployed_revision: deployed } = shown.version;
  const verb = verbOf(revision, deployed);
  const side: Side = revision ?? "draft";
  const changes = useChanges(shown, revision);
  const submit = async () => {
    const number = revision ?? made ?? (await makeRevision(id, note)).number;
    if (revision === undefined) setMade(number);
    await withoutTokens.attempt((without_tokens) =>
      inForce(deploy(id, { revision: number, note, without_tokens }), words.done(number)),
    );
    onClose();
  };
  return (
    <FormDialog
      wide
      title={verb.title(revision ?? 0)}
      submit={verb.confirm}
      isDisabled={changes?.isArriving ?? false}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{verb.lead}</p>
      {changes && <ChangesForCallers {...changes} id={id} side={side} onLeave={onClose} />}
      {withoutTokens.tick}
      {made !== null && <Note tone="warning">{words.made(made)}</Note>}
      <TextField
        label={words.note}
        hint={words.noteHint}
        value={note}
        onChange={setNote}
        pointer="/note"
        autoFocus
        isReadOnly={made !== null}
      />
    </FormDialog>
  );
}

/** Returns the texts of deploying the draft, a newer revision or an older one. */
function verbOf(revision: number | undefined, deployed: number | null | undefined) {
  if (revision === undefined) return words.draft;
  return revision < (deployed ?? 0) ? words.back : words.revision;
}
