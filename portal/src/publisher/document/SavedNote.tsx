// After a document was saved to the draft: deploy it, or publish the version.

import { type ReactNode, useState } from "react";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { DeployDialog } from "../versions/DeployDialog";
import type { Shown } from "../versions/VersionFrame";

const words = text.publisher.version.document;

/** A save, and the revision that was deployed then. */
export interface SavedOver {
  deployed: number | null | undefined;
}

interface SavedNoteProps {
  shown: Shown;
  /** Absent if nothing was saved. */
  saved: SavedOver | null;
  children: ReactNode;
}

export function SavedNote({ shown, saved, children }: SavedNoteProps) {
  const { version } = shown;
  const [isOpen, setOpen] = useState(false);
  const { deployed_revision: deployed } = version;
  if (!saved || saved.deployed !== deployed) return null;
  if (deployed == null) {
    const overview = (
      <ButtonLink autoFocus {...paths.ownVersion(version.id)}>
        {words.saved.toVersion}
      </ButtonLink>
    );
    return (
      <Note tone="good" actions={overview}>
        <p>{children}</p>
        <p>{words.saved.undeployed}</p>
      </Note>
    );
  }
  const deploy = (
    <Button look="primary" autoFocus onPress={() => setOpen(true)}>
      {text.publisher.version.deploy.deploy}
    </Button>
  );
  return (
    <>
      <Note tone="good" actions={deploy}>
        <p>{children}</p>
      </Note>
      {isOpen && <DeployDialog shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}
