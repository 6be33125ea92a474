// The bar "3 changes not deployed": what the draft says otherwise than what is served, and the
// button that makes a revision of it and deploys that.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Configuration, deploy, makeRevision, revision } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { inForce } from "../../ui/in_force";
import styles from "./NotDeployed.module.css";
import { changesOf } from "./changes";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.deploy;

interface NotDeployedProps {
  shown: Shown;
  isPrimary: boolean;
}

export function NotDeployed({ shown: { version, draft }, isPrimary }: NotDeployedProps) {
  const [isOpen, setOpen] = useState(false);
  const { deployed_revision: deployed, changes } = version;
  if (deployed == null || !changes) return null;
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
        <strong>{words.notDeployed(changes)}</strong> {words.served(deployed)}
      </Note>
      {isOpen && (
        <DeployDialog
          version={version.id}
          deployed={deployed}
          draft={draft.value}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** What differs, a line each. What nobody reads differs unseen. */
function Changes({ version, deployed, draft }: Omit<DeployDialogProps, "onClose">) {
  const query = useQuery(revision(version, deployed));
  return (
    <Loaded query={query}>
      {({ configuration }) => {
        const changes = changesOf(configuration, draft);
        return (
          <ul className={styles["changes"]}>
            {changes.map(({ part, members }) => (
              <li key={part}>{words.part(words.parts[part], members)}</li>
            ))}
            {changes.length === 0 && <li>{words.secrets}</li>}
          </ul>
        );
      }}
    </Loaded>
  );
}

interface DeployDialogProps {
  version: string;
  deployed: number;
  draft: Configuration;
  onClose: () => void;
}

function DeployDialog({ onClose, ...differing }: DeployDialogProps) {
  const [note, setNote] = useState("");
  // A revision that was made is not made again where its deployment failed.
  const [made, setMade] = useState<number | null>(null);
  const submit = async () => {
    const number = made ?? (await makeRevision(differing.version, note)).number;
    setMade(number);
    await inForce(deploy(differing.version, number), words.done(number));
    onClose();
  };
  return (
    <FormDialog title={words.title} submit={words.deploy} onSubmit={submit} onClose={onClose}>
      <p>{words.lead}</p>
      <Changes {...differing} />
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
