import type { Fault } from "../../api/problem";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import { TextField } from "../../ui/Field";
import { Grid } from "../../ui/Page";

const words = text.publisher.import.form;

interface Names {
  name: string;
  context: string;
  version: string;
}

interface NameFieldsProps {
  fields: Names;
  /** Faults of the values that the preview proposes. */
  faults: readonly Fault[];
  proposed: Names;
  /** Whether the values are already saved. */
  isFixed: boolean;
  onChange: (fields: Names) => void;
}

export function NameFields({ fields, faults, proposed, isFixed, onChange }: NameFieldsProps) {
  const set = (change: Partial<Names>) => onChange({ ...fields, ...change });
  const faultOf = (name: keyof Names) => {
    if (isFixed || fields[name] !== proposed[name]) return undefined;
    const found = faults.find(({ field }) => field === `/${name}`);
    return found && sentence(found.detail);
  };
  return (
    <>
      <TextField
        label={words.name}
        value={fields.name}
        onChange={(name) => set({ name })}
        pointer="/name"
        fault={faultOf("name")}
        isReadOnly={isFixed}
      />
      <Grid columns="2">
        <TextField
          label={words.context}
          value={fields.context}
          onChange={(context) => set({ context })}
          pointer="/context"
          fault={faultOf("context")}
          hint={words.contextHint}
          isReadOnly={isFixed}
          mono
        />
        <TextField
          label={words.version}
          value={fields.version}
          onChange={(version) => set({ version })}
          pointer="/version"
          fault={faultOf("version")}
          isReadOnly={isFixed}
          mono
        />
      </Grid>
    </>
  );
}
