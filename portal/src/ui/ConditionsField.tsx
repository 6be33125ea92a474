// The tests that decide whether a limit applies to a call.

import { useId } from "react";
import { text } from "../text/text";
import { Button } from "./Button";
import styles from "./ConditionsField.module.css";
import { fieldAttributes } from "./fault_places";
import { Select, TextField, useOwnFault } from "./Field";
import { Note } from "./Note";
import {
  CONDITION_KINDS,
  type ConditionFields,
  type ConditionKind,
  NEW_CONDITION,
  hasName,
  pointerOf,
} from "./condition_fields";

const words = text.limits.tests;
const environments = text.nouns.environments;

interface ConditionsFieldProps {
  tests: readonly ConditionFields[];
  /** JSON pointer of the condition in the request. */
  pointer: string;
  onChange: (tests: readonly ConditionFields[]) => void;
}

export function ConditionsField({ tests, pointer, onChange }: ConditionsFieldProps) {
  const add = useId();
  const fault = useOwnFault(pointer);
  const remove = (index: number) => {
    onChange(tests.filter((_, at) => at !== index));
    // The pressed button disappears with its test.
    document.getElementById(add)?.focus();
  };
  return (
    <div
      className={styles["tests"]}
      role="group"
      aria-label={words.legend}
      {...fieldAttributes(pointer, words.legend)}
    >
      <p className={styles["legend"]}>{words.legend}</p>
      {fault !== undefined && <p className={styles["fault"]}>{fault}</p>}
      {tests.map((test, index) => (
        <OneTest
          key={index}
          number={index + 1}
          test={test}
          pointer={`${pointer}${pointerOf(test)}`}
          onChange={(change) =>
            onChange(tests.map((it, at) => (at === index ? { ...it, ...change } : it)))
          }
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button small id={add} onPress={() => onChange([...tests, NEW_CONDITION])}>
          {words.add}
        </Button>
      </div>
      {tests.some(({ kind }) => hasName(kind)) && (
        <Note tone="warning">{words.chosenByCallers}</Note>
      )}
    </div>
  );
}

interface OneTestProps {
  number: number;
  test: ConditionFields;
  pointer: string;
  onChange: (change: Partial<ConditionFields>) => void;
  onRemove: () => void;
}

function OneTest({ number, test, pointer, onChange, onRemove }: OneTestProps) {
  const { kind, name, isNegated } = test;
  return (
    <div
      className={styles["test"]}
      role="group"
      aria-label={words.test(number)}
      {...fieldAttributes(undefined, words.test(number))}
    >
      <div className={styles["head"]}>
        {words.test(number)}
        <Button small aria-label={words.removeTest(number)} onPress={onRemove}>
          {words.remove}
        </Button>
      </div>
      <div className={styles["fields"]}>
        <Select<ConditionKind>
          label={words.kind}
          value={kind}
          choices={CONDITION_KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          onChange={(chosen) => onChange({ kind: chosen, name: "", values: "" })}
        />
        {hasName(kind) && (
          <TextField
            label={words.name}
            value={name}
            onChange={(typed) => onChange({ name: typed })}
            mono
          />
        )}
        <Select<"is" | "not">
          label={words.is}
          value={isNegated ? "not" : "is"}
          choices={[
            { value: "is", label: words.isOne },
            { value: "not", label: words.isNone },
          ]}
          onChange={(chosen) => onChange({ isNegated: chosen === "not" })}
        />
        <Values test={test} pointer={pointer} onChange={onChange} />
      </div>
    </div>
  );
}

type ValuesProps = Pick<OneTestProps, "test" | "pointer" | "onChange">;

function Values({ test: { kind, values }, pointer, onChange }: ValuesProps) {
  if (kind === "environment") {
    return (
      <Select
        label={words.environment}
        value={values}
        choices={Object.entries(environments).map(([value, label]) => ({ value, label }))}
        onChange={(chosen) => onChange({ values: chosen })}
        pointer={pointer}
      />
    );
  }
  return (
    <TextField
      label={words.values}
      value={values}
      onChange={(typed) => onChange({ values: typed })}
      pointer={pointer}
      hint={kind === "address" ? words.addressHint : words.prefixHint}
      lines={2}
      mono
    />
  );
}
