// The buttons of a revision and their dialogs. Deploying acts on callers, editing from it on the
// draft only.

import { useState } from "react";
import type { Revision } from "../../api/queries/revisions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { DeleteRevision } from "./DeleteRevision";
import { DeployDialog } from "./DeployDialog";
import { EditFromDialog } from "./EditFromDialog";
import type { Shown } from "./VersionFrame";

const words = text.publisher.version.revisions;

export type Verb = "deploy" | "editFrom" | "delete";

/** Actions on a revision that the user has begun. */
export interface Acting {
  verb: Verb;
  revision: number;
}

interface RevisionActionsProps {
  revision: Revision;
  verbs: readonly Verb[];
  onAct: (acting: Acting) => void;
}

export function RevisionActions({ revision, verbs, onAct }: RevisionActionsProps) {
  const { number, is_deployed } = revision;
  return verbs
    .filter((verb) => !is_deployed || verb === "editFrom")
    .map((verb) => (
      <Button
        key={verb}
        small
        aria-label={words[verb].label(number)}
        onPress={() => onAct({ verb, revision: number })}
      >
        {words[verb].button}
      </Button>
    ));
}

/** Returns the function that begins an action, and the dialog of the one that has begun. */
export function useRevisionDialog(shown: Shown) {
  const [acting, setActing] = useState<Acting | null>(null);
  const onClose = () => setActing(null);
  return { act: setActing, dialog: acting && dialogOf(acting, shown, onClose) };
}

function dialogOf({ verb, revision }: Acting, shown: Shown, onClose: () => void) {
  switch (verb) {
    case "deploy":
      return <DeployDialog shown={shown} revision={revision} onClose={onClose} />;
    case "editFrom":
      return <EditFromDialog shown={shown} revision={revision} onClose={onClose} />;
    case "delete":
      return <DeleteRevision id={shown.version.id} revision={revision} onClose={onClose} />;
  }
}
