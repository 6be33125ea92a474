import { deleteRevision } from "../../api/queries/revisions";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { notify } from "../../ui/Notices";

const words = text.publisher.version.revisions.delete;

interface DeleteRevisionProps {
  /** The version. */
  id: string;
  revision: number;
  onClose: () => void;
}

export function DeleteRevision({ id, revision, onClose }: DeleteRevisionProps) {
  const submit = async () => {
    await deleteRevision(id, revision);
    notify(words.done(revision));
  };
  return (
    <ConfirmDialog
      title={words.title(revision)}
      confirm={words.confirm}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.lead}</p>
    </ConfirmDialog>
  );
}
