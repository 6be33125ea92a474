// The bar "3 changes not deployed": the differences between the draft and the served revision, and
// the button that creates a revision of the draft and deploys it.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Configuration,
  type Version,
  deploy,
  makeRevision,
  revision,
} from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { type Column, Table } from "../../ui/Table";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import styles from "./NotDeployed.module.css";
import { changesOf } from "./changes";
import { type SecurityChange, securityChanges } from "./security_changes";
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
          version={version}
          deployed={deployed}
          draft={draft.value}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** The differences, one per line. Values of secrets are not shown. */
function Changes({ version, deployed, draft }: Omit<DeployDialogProps, "onClose">) {
  const query = useQuery(revision(version.id, deployed));
  return (
    <Loaded query={query}>
      {({ configuration }) => {
        const changes = changesOf(configuration, draft);
        return (
          <>
            <ul className={styles["changes"]}>
              {changes.map(({ part, members }) => (
                <li key={part}>{words.part(words.parts[part], members)}</li>
              ))}
              {changes.length === 0 && <li>{words.secrets}</li>}
            </ul>
            <SecurityChanges changes={securityChanges(configuration, draft)} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Caller authentication, before and after. */
function SecurityChanges({ changes }: { changes: readonly SecurityChange[] }) {
  if (changes.length === 0) return null;
  const { title, more } = words.security;
  const left = changes.length - SHOWN_MAX;
  return (
    <>
      <h3>{title}</h3>
      <Table
        label={title}
        columns={SECURITY_COLUMNS}
        rows={changes.slice(0, SHOWN_MAX)}
        keyOf={({ what }) => what}
      />
      {left > 0 && <p>{more(left)}</p>}
    </>
  );
}

/** Maximum number of changes shown in the dialog. */
const SHOWN_MAX = 20;

const SECURITY_COLUMNS: readonly Column<SecurityChange>[] = [
  { title: words.security.what, isName: true, value: ({ what }) => what },
  { title: words.security.served, value: ({ served }) => served },
  { title: words.security.draft, value: ({ draft }) => draft },
];

interface DeployDialogProps {
  version: Version;
  deployed: number;
  draft: Configuration;
  onClose: () => void;
}

function DeployDialog({ onClose, ...differing }: DeployDialogProps) {
  const [note, setNote] = useState("");
  // If a deployment failed, the revision already exists and is not created again.
  const [made, setMade] = useState<number | null>(null);
  const withoutTokens = useWithoutTokens();
  const { version } = differing;
  const submit = async () => {
    const number = made ?? (await makeRevision(version.id, note)).number;
    setMade(number);
    await withoutTokens.attempt((without_tokens) =>
      inForce(deploy(version.id, { revision: number, without_tokens }), words.done(number)),
    );
    onClose();
  };
  return (
    <FormDialog wide title={words.title} submit={words.deploy} onSubmit={submit} onClose={onClose}>
      <p>{words.lead}</p>
      <Changes {...differing} />
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
