import type { Fault } from "../../api/problem";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";

const words = text.publisher.import.form;

interface Names {
  name: string;
  context: string;
  version: string;
}

interface NameFieldsProps {
  fields: Names;
  /** What the preview has found wrong with them. */
  faults: readonly Fault[];
  /** Whether they are saved already. */
  isFixed: boolean;
  onChange: (fields: Names) => void;
}

export function NameFields({ fields, faults, isFixed, onChange }: NameFieldsProps) {
  const set = (change: Partial<Names>) => onChange({ ...fields, ...change });
  return (
    <>
      {!isFixed &&
        faults.map(({ field, detail }) => (
          <Note key={field} tone="warning">
            {words.nameFault(words.field[field] ?? field, detail)}
          </Note>
        ))}
      <TextField
        label={words.name}
        value={fields.name}
        onChange={(name) => set({ name })}
        pointer="/name"
        isReadOnly={isFixed}
      />
      <Grid columns="2">
        <TextField
          label={words.context}
          value={fields.context}
          onChange={(context) => set({ context })}
          pointer="/context"
          hint={words.contextHint}
          isReadOnly={isFixed}
          mono
        />
        <TextField
          label={words.version}
          value={fields.version}
          onChange={(version) => set({ version })}
          pointer="/version"
          isReadOnly={isFixed}
          mono
        />
      </Grid>
    </>
  );
}
