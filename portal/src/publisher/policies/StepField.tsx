// One field of a step, by its kind.

import { jsonFault } from "../../reference/json_fault";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import type { FieldWords } from "../../text/en/policies";
import { Checkbox } from "../../ui/Checkbox";
import { Select, TextField, useFaults } from "../../ui/Field";
import { PartsField } from "./PartsField";
import type { FieldDescription } from "./policies";
import { type FieldValue, type Parts, lineOf } from "./step_fields";

const words = text.publisher.version.policies;

interface StepFieldProps {
  field: FieldDescription;
  words: FieldWords;
  value: FieldValue;
  /** JSON pointer of the field in the request. */
  pointer: string;
  onChange: (value: FieldValue) => void;
}

export function StepField(props: StepFieldProps) {
  const { field, words: own, value, pointer, onChange } = props;
  return <div data-field={pointer}>{inputOf({ field, words: own, value, pointer, onChange })}</div>;
}

function inputOf({ field, words: own, value, pointer, onChange }: StepFieldProps) {
  const { label, hint, example = "" } = own;
  if (typeof value === "boolean") {
    return (
      <Checkbox isSelected={value} onChange={onChange} hint={hint}>
        {label}
      </Checkbox>
    );
  }
  if (typeof value !== "string") {
    return (
      <PartsField
        kind={field.kind as "map" | "replacements" | "edits"}
        label={label}
        hint={hint}
        value={value}
        pointer={pointer}
        onChange={(parts: readonly Parts[]) => onChange(parts)}
      />
    );
  }
  const shared = { label, value, onChange, pointer, ...(hint === undefined ? {} : { hint }) };
  switch (field.kind) {
    case "select":
      return <Select {...shared} choices={choicesOf(field, own)} />;
    case "number":
      return <TextField {...shared} type="number" />;
    case "list":
      return <ListField {...shared} placeholder={example} />;
    case "json":
      return <JsonField {...shared} placeholder={example} />;
    default: {
      const isLong = field.kind === "long" || value.includes("\n");
      return <TextField {...shared} mono placeholder={example} lines={isLong ? 4 : 1} />;
    }
  }
}

function choicesOf({ choices = [], isRequired, byDefault }: FieldDescription, own: FieldWords) {
  const named = choices.map((value) => ({ value, label: own.choices?.[value] ?? value }));
  if (isRequired || byDefault !== undefined) return named;
  return [{ value: "", label: own.unset ?? text.ui.none }, ...named];
}

interface LinesProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  pointer: string;
  hint?: string;
  placeholder?: string;
}

/** Texts, one per line; a fault names its line. */
export function ListField({ pointer, value, ...shared }: LinesProps) {
  const fault = useInnerFault(pointer, (inner, detail) => {
    const index = /^\/(\d+)/.exec(inner)?.[1];
    return index === undefined ? detail : words.inLine(lineOf(value, Number(index)), detail);
  });
  return (
    <TextField
      {...shared}
      value={value}
      pointer={pointer}
      lines={Math.min(Math.max(value.split("\n").length, 2), 8)}
      mono
      fault={fault}
    />
  );
}

/** Returns all faults of a field as one text; `placed` adds the place in the field's value. */
function useInnerFault(pointer: string, placed: (inner: string, detail: string) => string) {
  const faults = useFaults(pointer).map(({ field, detail }) =>
    placed(field.slice(pointer.length), sentence(detail)),
  );
  return faults.length === 0 ? undefined : faults.join(" ");
}

function JsonField({ pointer, value, ...shared }: LinesProps) {
  const reported = useInnerFault(pointer, (inner, detail) =>
    inner === "" ? detail : words.inJson(inner, detail),
  );
  const fault = value.trim() === "" ? undefined : jsonFault(value);
  return (
    <TextField
      {...shared}
      value={value}
      pointer={pointer}
      lines={Math.min(Math.max(value.split("\n").length, 4), 20)}
      mono
      fault={fault ? words.notJsonAt(fault.line, fault.column) : reported}
    />
  );
}
