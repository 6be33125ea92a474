// Form fields. A fault reported by the API is shown at its field.

import { createContext, type ReactNode, useContext } from "react";
import {
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Button as AriaButton,
  Select as AriaSelect,
  SelectValue,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
} from "react-aria-components";
import type { Fault as Reported, Problem } from "../api/problem";
import { sentence } from "../text/sentence";
import { fieldAttributes } from "./fault_places";
import { Icon } from "./Icon";
import styles from "./Field.module.css";

/** The problem of the form's last attempt, from which fields read their faults. */
const FaultContext = createContext<Problem | null>(null);
export const Faults = FaultContext.Provider;

/** Returns the fault that the API reported for the field with this JSON pointer. */
export function useFault(pointer: string | undefined): string | undefined {
  const problem = useContext(FaultContext);
  const fault = pointer === undefined ? undefined : problem?.faultAt(pointer);
  return fault && sentence(fault);
}

/** Like {@link useFault}, without the faults of values inside the field. */
export function useOwnFault(pointer: string): string | undefined {
  const problem = useContext(FaultContext);
  const fault = problem?.faults.find(({ field }) => field === pointer);
  return fault && sentence(fault.detail);
}

/** Returns the problem of the form's last attempt. */
export function useProblem(): Problem | null {
  return useContext(FaultContext);
}

/** Returns all faults of a field and of values inside it. */
export function useFaults(pointer: string): readonly Reported[] {
  const problem = useContext(FaultContext);
  return problem?.faultsAt(pointer) ?? [];
}

/** A fault, shown below its field. */
export function Fault({ children }: { children: string | undefined }) {
  return <FieldError className={styles["fault"] ?? ""}>{children}</FieldError>;
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** JSON pointer of its value in the request. */
  pointer?: string;
  /** A fault that the page itself found, shown in place of those that the API reported. */
  fault?: string | undefined;
  name?: string;
  hint?: ReactNode;
  type?: "text" | "password" | "url" | "email" | "number" | "date" | "datetime-local";
  autoComplete?: string;
  autoFocus?: boolean;
  isRequired?: boolean;
  isReadOnly?: boolean;
  placeholder?: string;
  /** Number of lines; a text area if more than one. */
  lines?: number;
  mono?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { label, pointer, hint, lines = 1, mono, placeholder = "", autoComplete, ...given } = props;
  const { fault: known, ...rest } = given;
  const reported = useFault(pointer);
  const fault = known ?? reported;
  const face = mono ? `${styles["input"]} ${styles["mono"]}` : styles["input"];
  return (
    <AriaTextField
      {...rest}
      {...fieldAttributes(pointer, label)}
      {...(autoComplete === undefined ? {} : { autoComplete })}
      className={styles["field"] ?? ""}
      isInvalid={fault !== undefined}
    >
      <Label className={styles["label"] ?? ""}>{label}</Label>
      {lines > 1 ? (
        <AriaTextArea className={face ?? ""} rows={lines} placeholder={placeholder} />
      ) : (
        <Input className={face ?? ""} placeholder={placeholder} spellCheck={false} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={styles["hint"] ?? ""}>
          {hint}
        </Text>
      )}
      <Fault>{fault}</Fault>
    </AriaTextField>
  );
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  /** A second line that explains the choice. */
  detail?: string;
}

interface SelectProps<T extends string> {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  pointer?: string;
  /** A fault that the page itself found. */
  fault?: string | undefined;
  hint?: string;
  /** Whether the label is for screen readers only. */
  isLabelHidden?: boolean;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, value, choices, onChange, pointer, hint, isLabelHidden } = props;
  const reported = useFault(pointer);
  const fault = props.fault ?? reported;
  return (
    <AriaSelect
      {...fieldAttributes(pointer, label)}
      className={styles["field"] ?? ""}
      value={value}
      onChange={(key) => onChange(key as T)}
      isInvalid={fault !== undefined}
      {...(isLabelHidden ? { "aria-label": label } : {})}
    >
      {!isLabelHidden && <Label className={styles["label"] ?? ""}>{label}</Label>}
      <AriaButton className={styles["select"] ?? ""}>
        <SelectValue<Choice<T>>>
          {() => choices.find((choice) => choice.value === value)?.label ?? ""}
        </SelectValue>
        <Icon name="down" />
      </AriaButton>
      {hint !== undefined && (
        <Text slot="description" className={styles["hint"] ?? ""}>
          {hint}
        </Text>
      )}
      <Fault>{fault}</Fault>
      <Popover className={styles["popover"] ?? ""}>
        <ListBox className={styles["list"] ?? ""} items={choices}>
          {(choice) => (
            <ListBoxItem
              id={choice.value}
              textValue={choice.label}
              className={styles["choice"] ?? ""}
            >
              {choice.label}
              {choice.detail !== undefined && (
                <span className={styles["detail"]}>{choice.detail}</span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
