// Deploys the draft, as a new revision, or an existing revision: shows what changes for callers,
// and takes the reason.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type Difference,
  type Side,
  deploy,
  difference,
  makeRevision,
  revision as revisionQuery,
} from "../../api/queries/revisions";
import type { Configuration } from "../../api/queries/versions";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { type Column, Table } from "../../ui/Table";
import { inForce } from "../../ui/in_force";
import { useWithoutTokens } from "../use_without_tokens";
import styles from "./DeployDialog.module.css";
import type { Shown } from "./VersionFrame";
import { groupsOf } from "./change_groups";
import { type SecurityChange, securityChanges } from "./security_changes";

const words = text.publisher.version.deploy;
const { compare, document } = text.publisher.version.revisions;

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
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{verb.lead}</p>
      {deployed != null && (
        <ChangesForCallers shown={shown} deployed={deployed} to={revision} onLeave={onClose} />
      )}
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

interface ChangesForCallersProps {
  shown: Shown;
  deployed: number;
  to: number | undefined;
  /** Called when the user opens the whole comparison. */
  onLeave: () => void;
}

/** The differences from the deployed revision: by group, and of security in words. */
function ChangesForCallers({ shown, deployed, to, onLeave }: ChangesForCallersProps) {
  const { id } = shown.version;
  const side: Side = to ?? "draft";
  const found = useQuery(difference(id, "deployed", side));
  return (
    <Loaded query={found}>
      {(difference) => (
        <>
          <Summary difference={difference} />
          <p>
            <Link {...paths.versionRevisions(id, { from: "deployed", to: side })} onClick={onLeave}>
              {words.whole}
            </Link>
          </p>
          <SecurityInWords shown={shown} deployed={deployed} to={to} />
        </>
      )}
    </Loaded>
  );
}

function Summary({ difference: { changes, document: described } }: { difference: Difference }) {
  const breaking = described?.difference?.breaking ?? 0;
  if (changes.length === 0) return <p>{compare.same}</p>;
  return (
    <>
      {breaking > 0 && <Note tone="warning">{document.breaking(count(breaking))}</Note>}
      <ul className={styles["changes"]}>
        {[...groupsOf(changes)].map(([group, found]) => (
          <li key={group}>{compare.group(compare.groups[group], count(found.length))}</li>
        ))}
      </ul>
    </>
  );
}

/** Caller authentication, before and after. */
function SecurityInWords({ shown, deployed, to }: Omit<ChangesForCallersProps, "onLeave">) {
  const { id } = shown.version;
  const before = useQuery(revisionQuery(id, deployed));
  const after = useQuery({ ...revisionQuery(id, to ?? 0), enabled: to !== undefined });
  const now = to === undefined ? shown.draft.value : after.data?.configuration;
  if (!before.data || !now) return null;
  return <SecurityTable before={before.data.configuration} now={now} />;
}

function SecurityTable({ before, now }: { before: Configuration; now: Configuration }) {
  const changes = securityChanges(before, now);
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

/** Maximum number of changes of security shown in the dialog. */
const SHOWN_MAX = 20;

const SECURITY_COLUMNS: readonly Column<SecurityChange>[] = [
  { title: words.security.what, isName: true, value: ({ what }) => what },
  { title: words.security.served, value: ({ served }) => served },
  { title: words.security.draft, value: ({ draft }) => draft },
];
