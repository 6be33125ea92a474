import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Api } from "../../api/queries/apis";
import { deleteVersion, impactOfVersionDeletion } from "../../api/queries/lifecycle";
import type { State } from "../../api/queries/versions";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { notify } from "../../ui/Notices";
import { Touches } from "../../ui/Touches";
import { DefaultNote, DefaultSelect } from "./DefaultFields";
import { KEPT, type NextDefault, defaultAfter, proposedDefault } from "./default_version";
import { useAreSiblingsPending, useSiblings } from "./use_siblings";

const words = text.publisher.version.delete;

/** Returns whether versions in this state can be deleted. */
export const isDeletable = (state: State): boolean => state === "created" || state === "retired";

interface DeleteVersionProps {
  version: string;
  api: Pick<Api, "id" | "context">;
  isDefault: boolean;
  /** Names of the API and the version. */
  name: string;
  onDeleted?: () => Promise<void>;
  onClose: () => void;
}

/** The dialog, once the other versions are known, one of which may become the default one. */
export function DeleteVersion(props: DeleteVersionProps) {
  return useAreSiblingsPending({ api: props.api.id }) ? null : <DeleteDialog {...props} />;
}

function DeleteDialog(props: DeleteVersionProps) {
  const { version, api, isDefault, name, onDeleted, onClose } = props;
  const siblings = useSiblings({ api: api.id, id: version });
  const [chosen, setChosen] = useState<NextDefault>();
  const next = isDefault ? (chosen ?? proposedDefault(siblings, undefined)) : KEPT;
  const after = defaultAfter(next).default;
  const impact = impactOfVersionDeletion(version, after);
  const { data } = useQuery(impact);
  return (
    <ConfirmDialog
      title={words.title(name)}
      confirm={words.confirm}
      typed={name}
      onConfirm={async () => {
        await deleteVersion(version, after);
        notify(words.done(name));
        await onDeleted?.();
      }}
      onClose={onClose}
    >
      <p>{words.lead}</p>
      <Touches query={impact} />
      {isDefault && <DefaultSelect {...{ siblings, next }} onChange={setChosen} />}
      <DefaultNote context={api.context} change={data?.default} />
    </ConfirmDialog>
  );
}
