import { text } from "../text/text";
import { Select, TextField } from "../ui/Field";
import { FileField } from "../ui/FileField";
import type { FormField } from "./document/form_fields";
import type { Operation } from "./document/operations";
import type { Draft } from "./use_draft";

const words = text.reference.tryIt;
const LINES_MAX = 16;

interface BodyFieldProps {
  operation: Operation;
  draft: Draft;
  /** Whether faults are told: not before somebody has tried to send it. */
  isChecked: boolean;
  /** What is wrong with the text. */
  fault: string | undefined;
}

/** The body of a call: a field for each part of a form, else its text. */
export function BodyField({ operation, draft, isChecked, fault }: BodyFieldProps) {
  const { bodyType, body, fields } = draft;
  const [first] = operation.body?.bodies ?? [];
  if (bodyType === undefined) return first && <p>{words.notTypable(first.type)}</p>;
  const lines = Math.min(Math.max(body.split("\n").length, 3), LINES_MAX);
  return (
    <>
      {draft.bodyTypes.length > 1 && (
        <Select
          label={words.bodyType}
          value={bodyType}
          choices={draft.bodyTypes.map((type) => ({ value: type, label: type }))}
          onChange={draft.setBodyType}
        />
      )}
      {fields.map((field) => (
        <PartField
          key={`${bodyType} ${field.name}`}
          field={field}
          draft={draft}
          fault={isChecked ? draft.formFaults.get(field.name) : undefined}
        />
      ))}
      {fields.length === 0 && (
        <TextField
          label={words.body}
          value={body}
          onChange={draft.setBody}
          lines={lines}
          mono
          fault={isChecked ? fault : undefined}
        />
      )}
    </>
  );
}

interface PartFieldProps {
  field: FormField;
  draft: Draft;
  fault: string | undefined;
}

function PartField({ field, draft, fault }: PartFieldProps) {
  const { name, isRequired, isFile, isList } = field;
  const label = isRequired ? name : words.optional(name);
  const part = draft.parts.get(name) ?? "";
  if (isFile) {
    return (
      <FileField
        label={label}
        files={typeof part === "string" ? [] : part}
        onChange={(files) => draft.setPart(name, files)}
        isMultiple={isList}
        choose={isList ? words.chooseSome : words.choose}
        none={words.noFile}
        fault={fault}
      />
    );
  }
  return (
    <TextField
      label={label}
      value={typeof part === "string" ? part : ""}
      onChange={(value) => draft.setPart(name, value)}
      autoComplete="off"
      mono
      fault={fault}
      {...(isList ? { hint: words.commaSeparated } : {})}
    />
  );
}
