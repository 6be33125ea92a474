// Chooses the steps that the page shows: those for all operations, or those for some of them.

import { useState } from "react";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Select } from "../../ui/Field";
import { RadioGroup } from "../../ui/RadioGroup";
import { OverrideDialog } from "./OverrideDialog";
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
        <div data-field={`/policies/operations/${index}/operations`}>
          <OverrideSettings
            override={override}
            pointer={`/policies/operations/${index}`}
            onChange={(changed) => onChange(overrides.with(index, changed))}
            onEdit={() => setEdited(override)}
            onRemove={() => {
              onChoose(undefined);
              onChange(overrides.toSpliced(index, 1));
            }}
          />
        </div>
      )}
      {edited && (
        <OverrideDialog
          operations={operations}
          edited={edited}
          others={overrides.filter((it) => it[KEY] !== edited[KEY])}
          onSave={save}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
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
  return (
    <div className={styles["settings"]}>
      <p className={styles["operations"]}>
        {override.operations.slice(0, SHOWN_MAX).map((operation) => (
          <code key={operation}>{operation}</code>
        ))}
      </p>
      <div className={styles["buttons"]}>
        <Button small onPress={onEdit}>
          {words.scope.edit}
        </Button>
        <Button small onPress={onRemove}>
          {words.scope.remove}
        </Button>
      </div>
      <RadioGroup
        label={words.scope.mode}
        value={override.mode}
        choices={(["append", "replace"] as const).map((value) => ({
          value,
          ...words.scope.modes[value],
        }))}
        onChange={(mode) => onChange({ ...override, mode })}
        pointer={`${pointer}/operations`}
      />
    </div>
  );
}

/** Maximum number of operations that are listed; the dialog has all. */
const SHOWN_MAX = 12;
