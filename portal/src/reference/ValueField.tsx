import { useState } from "react";
import { text } from "../text/text";
import { CheckboxGroup } from "../ui/Checkbox";
import { Select, TextField } from "../ui/Field";
import type { Control } from "./document/control";
import { itemsOf, typedOf } from "./typed";

const words = text.reference.tryIt;
const LINES_MAX = 8;

interface ValueFieldProps {
  label: string;
  control: Control;
  /** Undefined: not sent. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  placeholder?: string;
  hint: string | undefined;
  fault: string | undefined;
}

/** A parameter or a form field, with a control that fits its schema. */
export function ValueField({ control, ...props }: ValueFieldProps) {
  const { value = "" } = props;
  switch (control.kind) {
    case "choice":
      return <ChoiceField {...props} values={control.values} />;
    case "choices":
      return <ChoicesField {...props} values={control.values} />;
    case "date":
      return <TypedField {...props} type={isDate(value) ? "date" : "text"} />;
    case "date-time":
      return isInstant(value) ? <InstantField {...props} /> : <TypedField {...props} />;
    case "json":
      return <TypedField {...props} lines={linesOf(value)} />;
    default:
      return <TypedField {...props} />;
  }
}

/** At least two: a single-line field is another element, so a switch would lose the focus. */
const linesOf = (value: string) =>
  Math.min(Math.max(value.split("\n", LINES_MAX).length, 2), LINES_MAX);

/** An example that is not a date is shown as text. */
const isDate = (value: string) => /^(\d{4}-\d\d-\d\d)?$/.test(value);
const isInstant = (value: string) => value === "" || !isNaN(Date.parse(value));

type PlainProps = Omit<ValueFieldProps, "control">;

interface TypedFieldProps extends PlainProps {
  type?: "date" | "datetime-local" | "text";
  lines?: number;
}

function TypedField({ value = "", onChange, hint, ...rest }: TypedFieldProps) {
  return (
    <TextField
      {...rest}
      value={value}
      onChange={(it) => onChange(it === "" ? undefined : it)}
      autoComplete="off"
      mono
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

/** Shows an instant in the browser's time zone and sends it in UTC. */
function InstantField({ value = "", onChange, ...rest }: PlainProps) {
  const [typed, setTyped] = useState("");
  // Time zones of early years have offsets with seconds: the input must not change while typing.
  const shown = instantOf(typed) === value ? typed : localOf(value);
  return (
    <TypedField
      {...rest}
      type="datetime-local"
      value={shown}
      onChange={(local = "") => {
        setTyped(local);
        onChange(instantOf(local) || undefined);
      }}
    />
  );
}

type ChoiceFieldProps = PlainProps & { values: readonly string[] };

/** Keys of choices; a value may be empty. */
const LEFT_OUT = "left out";
const keyOf = (value: string) => `=${value}`;

function ChoiceField({ label, values, value, onChange, hint, fault }: ChoiceFieldProps) {
  // The document's example need not be one of the values.
  const all = value === undefined || values.includes(value) ? values : [...values, value];
  const choices = all.map((it) => ({ value: keyOf(it), label: it === "" ? words.emptyText : it }));
  return (
    <Select
      label={label}
      value={value === undefined ? LEFT_OUT : keyOf(value)}
      choices={[{ value: LEFT_OUT, label: words.leftOut }, ...choices]}
      onChange={(key) => onChange(key === LEFT_OUT ? undefined : key.slice(1))}
      fault={fault}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

/** A checkbox for each possible value of a list. */
function ChoicesField({ label, values, value = "", onChange, fault }: ChoiceFieldProps) {
  const items = itemsOf(value);
  const all = [...new Set([...values, ...items])];
  return (
    <CheckboxGroup
      label={label}
      choices={all.map((it) => ({ value: it, label: it === "" ? words.emptyText : it }))}
      value={items}
      onChange={(chosen) => onChange(chosen.length === 0 ? undefined : typedOf(chosen))}
      fault={fault}
    />
  );
}

/** Converts an instant (RFC 3339) to the local time of `datetime-local`. */
function localOf(instant: string): string {
  if (instant === "") return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function instantOf(local: string): string {
  if (local === "") return "";
  return new Date(local).toISOString().replace(".000Z", "Z");
}
