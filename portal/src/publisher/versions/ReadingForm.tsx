import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Disclosure } from "../../ui/Disclosure";
import { RadioGroup } from "../../ui/RadioGroup";
import type { ReadingFields } from "./reading_fields";

const words = text.publisher.version.reading;

interface ReadingFormProps {
  fields: ReadingFields;
  onChange: (fields: ReadingFields) => void;
}

export function ReadingForm({ fields, onChange }: ReadingFormProps) {
  const set = (change: Partial<ReadingFields>) => onChange({ ...fields, ...change });
  return (
    <Card title={words.title} note={words.note}>
      <RadioGroup
        label={words.encodedSlash.label}
        value={fields.encodedSlash}
        choices={choicesOf(words.encodedSlash.choices)}
        onChange={(encodedSlash) => set({ encodedSlash })}
        pointer="/encoded_slash"
      />
      <Disclosure title={words.more} isOpen={isUnusual(fields)}>
        <RadioGroup
          label={words.semicolon.label}
          value={fields.semicolon}
          choices={choicesOf(words.semicolon.choices)}
          onChange={(semicolon) => set({ semicolon })}
          pointer="/semicolon"
        />
        <RadioGroup
          label={words.paths.label}
          value={fields.paths}
          choices={choicesOf(words.paths.choices)}
          onChange={(paths) => set({ paths })}
          pointer="/paths"
        />
        <RadioGroup
          label={words.methodOverride.label}
          value={fields.methodOverride}
          choices={choicesOf(words.methodOverride.choices)}
          onChange={(methodOverride) => set({ methodOverride })}
          pointer="/method_override"
        />
      </Disclosure>
    </Card>
  );
}

interface Words {
  label: string;
  detail: string;
}

function choicesOf<T extends string>(choices: Record<T, Words>) {
  const values = Object.keys(choices) as T[];
  return values.map((value) => ({ value, ...choices[value] }));
}

function isUnusual({ semicolon, paths, methodOverride }: ReadingFields): boolean {
  return semicolon !== "check" || paths !== "exact" || methodOverride !== "refuse";
}
