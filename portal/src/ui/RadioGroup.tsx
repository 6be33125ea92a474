// A choice between a few visible options.

import {
  RadioGroup as AriaGroup,
  Label,
  RadioButton,
  RadioField,
  Text,
} from "react-aria-components";
import { type Choice, Fault, useFault } from "./Field";
import { fieldAttributes } from "./fault_places";
import styles from "./ChoiceGroup.module.css";

interface RadioGroupProps<T extends string> {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  pointer?: string;
}

export function RadioGroup<T extends string>(props: RadioGroupProps<T>) {
  const { label, value, choices, onChange, pointer } = props;
  const fault = useFault(pointer);
  return (
    <AriaGroup
      {...fieldAttributes(pointer, label)}
      className={styles["group"] ?? ""}
      value={value}
      onChange={(chosen) => onChange(chosen as T)}
      isInvalid={fault !== undefined}
    >
      <Label className={styles["label"] ?? ""}>{label}</Label>
      {choices.map((choice) => (
        <RadioField key={choice.value} value={choice.value} className={styles["field"] ?? ""}>
          <RadioButton className={styles["button"] ?? ""}>
            <span className={`${styles["mark"]} ${styles["ring"]}`} aria-hidden="true" />
            <span>{choice.label}</span>
          </RadioButton>
          {choice.detail !== undefined && (
            <Text slot="description" className={styles["detail"] ?? ""}>
              {choice.detail}
            </Text>
          )}
        </RadioField>
      ))}
      <Fault>{fault}</Fault>
    </AriaGroup>
  );
}
