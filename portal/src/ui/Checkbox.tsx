// A checkbox, or a group of them, with an explanation below each.

import type { ReactNode } from "react";
import {
  CheckboxGroup as AriaGroup,
  CheckboxButton,
  CheckboxField,
  Label,
  Text,
} from "react-aria-components";
import { type Choice, Fault, useFault } from "./Field";
import { fieldAttributes } from "./fault_places";
import { Icon } from "./Icon";
import styles from "./ChoiceGroup.module.css";

interface CheckboxProps {
  children: ReactNode;
  hint?: ReactNode;
  isSelected?: boolean;
  onChange?: (isSelected: boolean) => void;
  /** Value within a group. */
  value?: string;
  /** JSON pointer of what it sets in the request, for one that is not in a group. */
  pointer?: string;
  /** A fault that the page itself found, shown in place of those that the API reported. */
  fault?: string | undefined;
}

export function Checkbox({ children, hint, pointer, fault: known, ...rest }: CheckboxProps) {
  const reported = useFault(pointer);
  const fault = known ?? reported;
  const label = typeof children === "string" ? children : undefined;
  return (
    <CheckboxField
      {...rest}
      {...(pointer === undefined ? {} : fieldAttributes(pointer, label))}
      {...(fault === undefined ? {} : { isInvalid: true })}
      className={styles["field"] ?? ""}
    >
      <CheckboxButton className={styles["button"] ?? ""}>
        <span className={`${styles["mark"]} ${styles["box"]}`} aria-hidden="true">
          <Icon name="done" />
        </span>
        <span>{children}</span>
      </CheckboxButton>
      {hint !== undefined && (
        <Text slot="description" className={styles["detail"] ?? ""}>
          {hint}
        </Text>
      )}
      {pointer !== undefined && (
        <div className={styles["fault"]}>
          <Fault>{fault}</Fault>
        </div>
      )}
    </CheckboxField>
  );
}

interface CheckboxGroupProps {
  label: string;
  choices: readonly Choice<string>[];
  value: readonly string[];
  onChange: (value: string[]) => void;
  pointer?: string;
  /** A fault that the page itself found. */
  fault?: string | undefined;
}

export function CheckboxGroup(props: CheckboxGroupProps) {
  const { label, choices, value, onChange, pointer } = props;
  const fault = useFault(pointer) ?? props.fault;
  return (
    <AriaGroup
      {...fieldAttributes(pointer, label)}
      className={styles["group"] ?? ""}
      value={[...value]}
      onChange={onChange}
      isInvalid={fault !== undefined}
    >
      <Label className={styles["label"] ?? ""}>{label}</Label>
      {choices.map((choice) => (
        <Checkbox key={choice.value} value={choice.value} hint={choice.detail}>
          {choice.label}
        </Checkbox>
      ))}
      <Fault>{fault}</Fault>
    </AriaGroup>
  );
}
