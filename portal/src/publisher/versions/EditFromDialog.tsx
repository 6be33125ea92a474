// Replaces the draft with a copy of a revision. Callers are not affected.

import { Link } from "@tanstack/react-router";
import { restoreDraft } from "../../api/queries/revisions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { FormDialog } from "../../ui/FormDialog";
import { Note } from "../../ui/Note";
import { notify } from "../../ui/Notices";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.revisions.editFrom;

interface EditFromDialogProps {
  shown: Shown;
  revision: number;
  onClose: () => void;
}

export function EditFromDialog({ shown, revision, onClose }: EditFromDialogProps) {
  const { version, draft } = shown;
  const submit = async () => {
    await restoreDraft(version.id, draft, revision);
    notify(words.done(revision));
    onClose();
  };
  return (
    <FormDialog
      title={words.title(revision)}
      submit={words.confirm}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.lead(revision)}</p>
      <Lost shown={shown} onLeave={onClose} />
    </FormDialog>
  );
}

/** Warns if only the draft has changes. */
function Lost({ shown: { version }, onLeave }: { shown: Shown; onLeave: () => void }) {
  if (version.deployed_revision == null) return <Note tone="warning">{words.neverDeployed}</Note>;
  if (!version.changes) return null;
  const difference = paths.versionRevisions(version.id, { from: "deployed", to: "draft" });
  return (
    <Note tone="warning">
      <p>
        {words.lost(version.changes)}{" "}
        <Link {...difference} onClick={onLeave}>
          {words.show}
        </Link>
      </p>
    </Note>
  );
}
