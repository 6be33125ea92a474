import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Api } from "../../api/queries/apis";
import { deleteVersion, impactOfVersionDeletion } from "../../api/queries/lifecycle";
import { type VersionOverview, versionsOfApi } from "../../api/queries/overview";
import type { State } from "../../api/queries/versions";
import { text } from "../../text/text";
import { ConfirmForm } from "../../ui/ConfirmDialog";
import { Dialog } from "../../ui/Dialog";
import { Loaded, Skeleton } from "../../ui/Loaded";
import { notify } from "../../ui/Notices";
import { Touches } from "../../ui/Touches";
import { DefaultEffect, DefaultSelect } from "./DefaultFields";
import {
  KEPT,
  type NextDefault,
  callableAmong,
  defaultAfter,
  proposedDefault,
} from "./default_version";
import { siblingsAmong } from "./use_siblings";
import { keepingCounts, useTried } from "./use_tried";

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

/** The dialog; its form needs the other versions, one of which may become the default one. */
export function DeleteVersion(props: DeleteVersionProps) {
  const { version, api, name, onClose } = props;
  const query = useQuery(versionsOfApi(api.id).whole);
  return (
    <Dialog title={words.title(name)} isOpen onClose={onClose}>
      <p>{words.lead}</p>
      <Loaded query={query}>
        {({ items }) => <DeleteForm {...props} siblings={siblingsAmong(items, version)} />}
      </Loaded>
    </Dialog>
  );
}

interface DeleteFormProps extends DeleteVersionProps {
  siblings: readonly VersionOverview[];
}

function DeleteForm(props: DeleteFormProps) {
  const { version, api, isDefault, name, siblings, onDeleted, onClose } = props;
  const [chosen, setChosen] = useState<NextDefault>();
  const next = isDefault ? (chosen ?? proposedDefault(siblings, undefined)) : KEPT;
  const after = defaultAfter(next).default;
  const impact = impactOfVersionDeletion(version, after);
  const tried = useTried(impact);
  if (!tried) return <Skeleton />;
  const hasChoice = isDefault && callableAmong(siblings).length > 0;
  return (
    <ConfirmForm
      confirm={words.confirm}
      typed={name}
      isDisabled={tried.isTrying}
      onConfirm={async () => {
        await deleteVersion(version, after);
        notify(words.done(name));
        await onDeleted?.();
      }}
      onClose={onClose}
    >
      <Touches query={keepingCounts(impact)} />
      {hasChoice && <DefaultSelect {...{ siblings, next }} onChange={setChosen} />}
      <DefaultEffect context={api.context} {...{ tried, hasChoice }} />
    </ConfirmForm>
  );
}
