// A form for a part of a draft. Concurrent changes do not affect the form while editing: they are
// detected on saving, by `If-Match`, and then shown beside the user's own.

import { type ReactNode, useState } from "react";
import type { Configuration, DraftNote, DraftPatch, TaggedDraft } from "../../api/queries/versions";
import { Beside } from "../../ui/Beside";
import { Conflict } from "../../ui/Conflict";
import { Form, type Lead } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { SaveActions } from "../../ui/SaveActions";
import { differencesOf } from "../../ui/differences";
import { FaultLink } from "./FaultLink";
import { useDraftSave } from "./use_draft_save";

/** The notes on a draft, and its fields as they were read. */
export interface Noted<Fields> {
  notes: readonly DraftNote[];
  fields: Fields;
}

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
    noted: Noted<Fields>,
  ) => ReactNode;
  /** What is shown beside the form, below it in a narrow window: it has forms of its own. */
  beside?: (fields: Fields) => ReactNode;
  /** Leads to fields that are shown on request. */
  lead?: (fields: Fields) => Lead;
}

export function DraftForm<Fields extends object>(props: DraftFormProps<Fields>) {
  const { id, draft, read, write, children, beside, lead } = props;
  const [base, setBase] = useState(draft);
  /** The fields as they were read from the base. */
  const [original, setOriginal] = useState(() => read(draft.value));
  const [fields, setFields] = useState(original);
  const isDirty = JSON.stringify(fields) !== JSON.stringify(original);
  /** Normalizes a draft as this form would write it: omitted members get their defaults. */
  const written = (of: Configuration) => write(read(of), of);
  const accept = (taken: TaggedDraft) => {
    const taking = read(taken.value);
    setBase(taken);
    setOriginal(taking);
    setFields(taking);
  };
  const { save, theirs, setTheirs } = useDraftSave({
    id,
    write: (onto) => write(fields, onto),
    read: written,
    onSaved: accept,
  });
  const form = (
    <Form
      onSubmit={() => save(base)}
      lead={lead?.(fields)}
      elsewhere={(pointer) => <FaultLink version={id} pointer={pointer} />}
    >
      {(isPending) => (
        <>
          {children(fields, (change) => setFields({ ...fields, ...change }), {
            notes: base.notes,
            fields: original,
          })}
          <SaveActions isPending={isPending} isDirty={isDirty} onUndo={() => accept(base)} />
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
