import { text } from "../../text/text";
import { TextField } from "../../ui/Field";

const words = text.developer.applications;

/** Name and description of an application. */
export interface About {
  name: string;
  description: string;
}

interface AboutFieldsProps {
  about: About;
  onChange: (about: About) => void;
}

export function AboutFields({ about, onChange }: AboutFieldsProps) {
  return (
    <>
      <TextField
        label={words.name}
        value={about.name}
        onChange={(name) => onChange({ ...about, name })}
        autoFocus
        isRequired
        pointer="/name"
      />
      <TextField
        label={words.description}
        value={about.description}
        onChange={(description) => onChange({ ...about, description })}
        lines={3}
        hint={words.descriptionHint}
        pointer="/description"
      />
    </>
  );
}
