// The bar "3 changes not deployed": what the draft says otherwise than what is served, and the button
// that makes a revision of it and deploys that.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deploy, makeRevision, revision } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Note } from "../../ui/Note";
import { inForce } from "../../ui/in_force";
import { type Change, changesOf, countOf } from "./changes";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.deploy;

interface NotDeployedProps {
  shown: Shown;
  isPrimary: boolean;
}

export function NotDeployed({ shown, isPrimary }: NotDeployedProps) {
  const deployed = shown.version.deployed_revision ?? undefined;
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    ...revision(shown.version.id, deployed ?? 0),
    enabled: deployed !== undefined,
  });
  if (deployed === undefined || query.data === undefined) return null;
  const changes = changesOf(query.data.configuration, shown.draft.value);
  if (changes.length === 0) return null;
  return (
    <>
      <Note
        tone="warning"
        actions={
          <Button small look={isPrimary ? "primary" : "plain"} onPress={() => setOpen(true)}>
            {words.deploy}
          </Button>
        }
      >
        <strong>{words.notDeployed(countOf(changes))}</strong> {words.served(deployed)}
      </Note>
      {isOpen && (
        <DeployDialog id={shown.version.id} changes={changes} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

interface DeployDialogProps {
  id: string;
  changes: readonly Change[];
  onClose: () => void;
}

function DeployDialog({ id, changes, onClose }: DeployDialogProps) {
  const [note, setNote] = useState("");
  // A revision that was made is not made again where its deployment failed.
  const [made, setMade] = useState<number | null>(null);
  const submit = async () => {
    const number = made ?? (await makeRevision(id, note)).number;
    setMade(number);
    await inForce(deploy(id, number), words.done(number));
    onClose();
  };
  return (
    <Dialog title={words.title} isOpen onClose={onClose}>
      <p>{words.lead}</p>
      <ul>
        {changes.map(({ part, members }) => (
          <li key={part}>{words.part(words.parts[part], members)}</li>
        ))}
      </ul>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
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
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {words.deploy}
              </Button>
              <Button onPress={onClose}>{text.ui.cancel}</Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
