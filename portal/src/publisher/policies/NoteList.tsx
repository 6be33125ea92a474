// Notes on the policies, each with a button that shows and focuses its field.

import type { Fault } from "../../api/problem";
import { text } from "../../text/text";
import { FaultButton, FaultItems } from "../../ui/FailedAttempt";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";
import { placeNames } from "./fault_lead";
import type { PolicyFields } from "./policy_fields";

interface NoteListProps {
  notes: readonly Fault[];
  fields: PolicyFields;
  /** Shows the field with this JSON pointer. */
  onShow: (pointer: string) => void;
}

export function NoteList({ notes, fields, onShow }: NoteListProps) {
  if (notes.length === 0) return null;
  const nameOf = placeNames(fields);
  return (
    <Note tone="warning">
      <p>
        <strong>{text.publisher.version.policies.notes.title(notes.length)}</strong>
      </p>
      <FaultItems>
        {notes.map(({ field, detail }) => (
          <li key={`${field} ${detail}`}>
            <FaultButton onPress={() => onShow(field)}>{nameOf(field)}</FaultButton>{" "}
            <Sentence>{detail}</Sentence>
          </li>
        ))}
      </FaultItems>
    </Note>
  );
}
