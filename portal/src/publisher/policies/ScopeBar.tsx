// Chooses the steps that the page shows: those for all operations, or those for some of them.

import { useState } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Select } from "../../ui/Field";
import { Frame } from "../../ui/Frame";
import { RadioGroup } from "../../ui/RadioGroup";
import { OperationsChoice } from "./OperationsChoice";
import styles from "./ScopeBar.module.css";
import { operationsText } from "./operation_names";
import { type Lists, type OverrideFields, newOverride } from "./policy_fields";
import { PLACES } from "./policies";
import { KEY } from "./step_fields";

const words = text.publisher.version.policies;
const ALL = "all";

interface ScopeBarProps {
  /** All operations of the version. */
  operations: readonly string[];
  lists: Lists;
  overrides: readonly OverrideFields[];
  onChange: (overrides: readonly OverrideFields[]) => void;
  /** The key of the shown override; undefined for all operations. */
  chosen: number | undefined;
  onChoose: (key: number | undefined) => void;
}

const countOf = (lists: Lists) => PLACES.reduce((sum, place) => sum + lists[place].length, 0);

export function ScopeBar(props: ScopeBarProps) {
  const { operations, lists, overrides, onChange, chosen, onChoose } = props;
  const [edited, setEdited] = useState<OverrideFields | null>(null);
  const index = overrides.findIndex((it) => it[KEY] === chosen);
  const override = overrides[index];
  if (operations.length === 0 && overrides.length === 0) return null;
  const save = (saved: OverrideFields) => {
    const at = overrides.findIndex((it) => it[KEY] === saved[KEY]);
    onChange(at < 0 ? [...overrides, saved] : overrides.with(at, saved));
    onChoose(saved[KEY]);
    setEdited(null);
  };
  return (
    <>
      <div className={styles["bar"]}>
        <Select
          label={words.scope.label}
          value={override ? String(override[KEY]) : ALL}
          choices={[
            { value: ALL, label: words.scope.all, detail: words.steps(countOf(lists)) },
            ...overrides.map((it) => ({
              value: String(it[KEY]),
              label: operationsText(it.operations),
              detail: words.steps(countOf(it.lists)),
            })),
          ]}
          onChange={(key) => onChoose(key === ALL ? undefined : Number(key))}
        />
        <Button onPress={() => setEdited(newOverride([]))}>{words.scope.add}</Button>
      </div>
      {override && (
        <OverrideSettings
          override={override}
          pointer={`/policies/operations/${index}`}
          onChange={(changed) => onChange(overrides.with(index, changed))}
          onEdit={() => setEdited(override)}
          onRemove={() => {
            onChoose(undefined);
            onChange(withoutSteps(overrides, index));
          }}
        />
      )}
      {edited && (
        <OperationsChoice
          title={words.scope.title}
          operations={operations}
          // An operation belongs to one override at most.
          taken={overrides.flatMap((it) => (it[KEY] === edited[KEY] ? [] : it.operations))}
          chosen={edited.operations}
          onChoose={(chosen) => save({ ...edited, operations: chosen })}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

/** Removes the steps of an override, and the override if it has no cache, either. */
function withoutSteps(overrides: readonly OverrideFields[], index: number): OverrideFields[] {
  const { operations = [], cache } = overrides[index] ?? {};
  return cache
    ? overrides.with(index, { ...newOverride(operations), cache })
    : overrides.toSpliced(index, 1);
}

interface OverrideSettingsProps {
  override: OverrideFields;
  pointer: string;
  onChange: (override: OverrideFields) => void;
  onEdit: () => void;
  onRemove: () => void;
}

function OverrideSettings(props: OverrideSettingsProps) {
  const { override, pointer, onChange, onEdit, onRemove } = props;
  const { cache, mode, lists } = override;
  const isCacheOnly = cache !== null && mode === "append" && countOf(lists) === 0;
  return (
    <Frame>
      <p className={styles["operations"]}>
        {override.operations.slice(0, SHOWN_MAX).map((operation) => (
          <code key={operation}>{operation}</code>
        ))}
      </p>
      <div className={styles["buttons"]}>
        <Button small onPress={onEdit}>
          {words.scope.edit}
        </Button>
        <Button small onPress={onRemove} why={isCacheOnly ? words.scope.cacheOnly : undefined}>
          {words.scope.remove}
        </Button>
      </div>
      <RadioGroup
        label={words.scope.mode}
        value={mode}
        choices={(["append", "replace"] as const).map((value) => ({
          value,
          ...words.scope.modes[value],
        }))}
        onChange={(mode) => onChange({ ...override, mode })}
        pointer={`${pointer}/operations`}
      />
    </Frame>
  );
}

/** Maximum number of operations that are listed; the dialog has all. */
const SHOWN_MAX = 12;
