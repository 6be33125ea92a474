// The fields of an unfolded step, each with its meaning.

import { text } from "../../text/text";
import { Disclosure } from "../../ui/Disclosure";
import { TextField, useOwnFault } from "../../ui/Field";
import { StepField } from "./StepField";
import styles from "./StepForm.module.css";
import { type FieldDescription, POLICIES } from "./policies";
import type { FieldValue, StepFields } from "./step_fields";

const words = text.publisher.version.policies;

interface StepFormProps {
  step: StepFields;
  /** JSON pointer of the step in the request. */
  pointer: string;
  onChange: (step: StepFields) => void;
}

export function StepForm({ step, pointer, onChange }: StepFormProps) {
  const { meaning, fields: own } = words.of[step.policy];
  const { fields } = POLICIES[step.policy];
  const fault = useOwnFault(pointer);
  const policyFault = useOwnFault(`${pointer}/policy`);
  const set = (name: string, value: FieldValue) =>
    onChange({ ...step, values: { ...step.values, [name]: value } });
  const shown = (field: FieldDescription) => (
    <StepField
      key={field.name}
      field={field}
      words={own[field.name] ?? { label: field.name }}
      value={step.values[field.name] ?? ""}
      pointer={`${pointer}/${field.name}`}
      onChange={(value) => set(field.name, value)}
    />
  );
  const rare = fields.filter(({ isRare }) => isRare);
  const isChanged = ({ name, byDefault }: FieldDescription) =>
    step.values[name] !== String(byDefault ?? "");
  return (
    <div className={styles["form"]}>
      <p className={styles["meaning"]}>{meaning}</p>
      {[fault, policyFault].map(
        (it) =>
          it && (
            <p className={styles["fault"]} key={it}>
              {it}
            </p>
          ),
      )}
      {fields.filter(({ isRare }) => !isRare).map(shown)}
      {rare.length > 0 && (
        <Disclosure title={words.rare} isOpen={rare.some(isChanged)}>
          {rare.map(shown)}
        </Disclosure>
      )}
      <TextField
        label={words.condition.label}
        value={step.condition}
        onChange={(condition) => onChange({ ...step, condition })}
        pointer={`${pointer}/if`}
        hint={words.condition.hint}
        placeholder={words.condition.example}
        mono
      />
    </div>
  );
}
