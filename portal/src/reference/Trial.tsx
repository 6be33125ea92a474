// The try-it form: beside the operation and always visible; in a narrow window, in a dialog behind
// a bar at the bottom.

import { useState } from "react";
import type { CatalogueEntry } from "../api/queries/catalogue";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Part } from "../ui/Part";
import { useMedia } from "../ui/use_media";
import { CodeCard } from "./CodeCard";
import type { Described } from "./described";
import type { Operation } from "./document/operations";
import { TryIt } from "./TryIt";
import type { PreparedBody } from "./sent_body";
import { useCalling } from "./use_calling";
import { useDraft } from "./use_draft";
import styles from "./OperationPage.module.css";

const words = text.reference.tryIt;
/** As in the style sheet. */
const NARROW = "(max-width: 999px)";

export interface TrialProps {
  entry: CatalogueEntry;
  described: Described;
  operation: Operation;
  /** The initial body of each media type. */
  bodies: readonly PreparedBody[];
}

export function Trial({ entry, described, operation, bodies }: TrialProps) {
  const isNarrow = useMedia(NARROW);
  const [isOpen, setOpen] = useState(false);
  const draft = useDraft({ entry, described, operation, bodies });
  // The result of a call outlives the dialog.
  const calling = useCalling();
  const { document } = described;
  const parts = (
    <>
      <Part>
        <TryIt {...{ entry, document, operation, draft, calling }} />
      </Part>
      <Part>
        <CodeCard security={entry.security} draft={draft} />
      </Part>
    </>
  );
  if (!isNarrow) return <div className={styles["right"]}>{parts}</div>;
  return (
    <>
      <div className={styles["bar"]}>
        <code>{operation.path === "" ? operation.title : operation.path}</code>
        <Button look="primary" onPress={() => setOpen(true)}>
          {words.open}
        </Button>
      </div>
      <Dialog title={operation.title} isOpen={isOpen} onClose={() => setOpen(false)} wide>
        {parts}
      </Dialog>
    </>
  );
}
