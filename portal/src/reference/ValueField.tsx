import { text } from "../text/text";
import { Select, TextField } from "../ui/Field";
import type { Control } from "./document/control";

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

/** A value of a parameter or of a form: chosen, picked as a date, or typed. */
export function ValueField({ control, ...props }: ValueFieldProps) {
  if (control.kind === "choice") return <ChoiceField {...props} values={control.values} />;
  const { value = "", onChange, hint, ...rest } = props;
  const isDate = control.kind === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(value);
  const isTime = control.kind === "date-time" && (value === "" || !isNaN(Date.parse(value)));
  const lines = control.kind === "json" ? Math.min(value.split("\n").length, LINES_MAX) : 1;
  return (
    <TextField
      {...rest}
      type={isDate ? "date" : isTime ? "datetime-local" : "text"}
      value={isTime ? localOf(value) : value}
      onChange={(it) => onChange(it === "" ? undefined : isTime ? instantOf(it) : it)}
      autoComplete="off"
      lines={lines}
      mono
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

type ChoiceFieldProps = Omit<ValueFieldProps, "control"> & { values: readonly string[] };

/** Keys of choices: a value may be empty. */
const LEFT_OUT = "left out";
const keyOf = (value: string) => `=${value}`;

function ChoiceField({ label, values, value, onChange, hint, fault }: ChoiceFieldProps) {
  // What the document gives as an example may be none of the values.
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

/** An instant (RFC 3339) as the browser's field has it, in its zone. */
function localOf(instant: string): string {
  if (instant === "") return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function instantOf(local: string): string {
  return new Date(local).toISOString().replace(".000Z", "Z");
}
