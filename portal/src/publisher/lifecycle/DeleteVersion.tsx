import { deleteVersion, impactOfVersionDeletion } from "../../api/queries/lifecycle";
import type { State } from "../../api/queries/versions";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { notify } from "../../ui/Notices";
import { Touches } from "../../ui/Touches";

const words = text.publisher.version.delete;

/** Returns whether versions in this state can be deleted. */
export const isDeletable = (state: State): boolean => state === "created" || state === "retired";

interface DeleteVersionProps {
  version: string;
  /** Names of the API and the version. */
  name: string;
  onDeleted?: () => Promise<void>;
  onClose: () => void;
}

export function DeleteVersion({ version, name, onDeleted, onClose }: DeleteVersionProps) {
  return (
    <ConfirmDialog
      title={words.title(name)}
      confirm={words.confirm}
      typed={name}
      onConfirm={async () => {
        await deleteVersion(version);
        notify(words.done(name));
        await onDeleted?.();
      }}
      onClose={onClose}
    >
      <p>{words.lead}</p>
      <Touches query={impactOfVersionDeletion(version)} />
    </ConfirmDialog>
  );
}
