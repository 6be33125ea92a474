// A form for a part of a draft. Concurrent changes do not affect the form while editing: they are
// detected on saving, by `If-Match`, and then shown beside the user's own.

import { type ReactNode, useState } from "react";
import type { Configuration, DraftNote, DraftPatch, TaggedDraft } from "../../api/queries/versions";
import { Beside } from "../../ui/Beside";
import { Conflict } from "../../ui/Conflict";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { SaveActions } from "../../ui/SaveActions";
import { differencesOf } from "../../ui/differences";
import { useDraftSave } from "./use_draft_save";

interface DraftFormProps<Fields extends object> {
  /** The version. */
  id: string;
  draft: TaggedDraft;
  /** Reads the fields from a draft. */
  read: (draft: Configuration) => Fields;
  /** Returns the changes of the fields to the draft that they were read from. */
  write: (fields: Fields, draft: Configuration) => DraftPatch;
  children: (
    fields: Fields,
    change: (fields: Partial<Fields>) => void,
    notes: readonly DraftNote[],
  ) => ReactNode;
  /** What is shown beside the form, below it in a narrow window: it has forms of its own. */
  beside?: (fields: Fields) => ReactNode;
}

const NO_NOTES: readonly DraftNote[] = [];

export function DraftForm<Fields extends object>(props: DraftFormProps<Fields>) {
  const { id, draft, read, write, children, beside } = props;
  const [base, setBase] = useState(draft);
  const [fields, setFields] = useState(() => read(draft.value));
  const isDirty = JSON.stringify(fields) !== JSON.stringify(read(base.value));
  /** Normalizes a draft as this form would write it: omitted members get their defaults. */
  const written = (of: Configuration) => write(read(of), of);
  const accept = (taken: TaggedDraft) => {
    setBase(taken);
    setFields(read(taken.value));
  };
  const { save, theirs, setTheirs } = useDraftSave({
    id,
    write: (onto) => write(fields, onto),
    read: written,
    onSaved: accept,
  });
  const form = (
    <Form onSubmit={() => save(base)}>
      {(isPending) => (
        <>
          {children(
            fields,
            (change) => setFields({ ...fields, ...change }),
            base.notes ?? NO_NOTES,
          )}
          <SaveActions
            isPending={isPending}
            isDirty={isDirty}
            onUndo={() => setFields(read(base.value))}
          />
        </>
      )}
    </Form>
  );
  return (
    <>
      <LeaveGuard isDirty={isDirty} />
      {beside ? <Beside content={beside(fields)}>{form}</Beside> : form}
      {theirs && (
        <Conflict
          differences={differencesOf(written(theirs.value), write(fields, theirs.value))}
          onKeep={() => save(theirs)}
          onTake={() => {
            accept(theirs);
            setTheirs(null);
          }}
          onClose={() => setTheirs(null)}
        />
      )}
    </>
  );
}
