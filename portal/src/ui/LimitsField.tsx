// A list of limits: add, change, remove. All limits of the list count the same dimension.

import { useId } from "react";
import { windowInWords } from "../text/limit";
import { text } from "../text/text";
import { Button } from "./Button";
import { Select, TextField, useOwnFault } from "./Field";
import styles from "./LimitsField.module.css";
import {
  type Counting,
  LIMITS_MAX,
  type LimitFields,
  NEW_LIMIT,
  type Window,
  isCalendar,
} from "./limit_fields";

const words = text.ui.limits;

interface LimitsFieldProps {
  limits: readonly LimitFields[];
  onChange: (limits: LimitFields[]) => void;
  /** JSON pointer of the list in the request. */
  pointer: string;
  /** Shown if there is no limit. */
  empty: string;
}

export function LimitsField({ limits, onChange, pointer, empty }: LimitsFieldProps) {
  const add = useId();
  const set = (index: number, change: Partial<LimitFields>) =>
    onChange(limits.map((limit, at) => (at === index ? { ...limit, ...change } : limit)));
  const remove = (index: number) => {
    onChange(limits.filter((_, at) => at !== index));
    // The pressed button disappears with its limit.
    document.getElementById(add)?.focus();
  };
  return (
    <>
      {limits.length === 0 && <p>{empty}</p>}
      {limits.map((limit, index) => (
        <OneLimit
          key={index}
          number={index + 1}
          limit={limit}
          pointer={`${pointer}/${index}`}
          onChange={(change) => set(index, change)}
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button
          small
          id={add}
          why={limits.length >= LIMITS_MAX ? words.tooMany : undefined}
          onPress={() => onChange([...limits, NEW_LIMIT])}
        >
          {words.add}
        </Button>
      </div>
    </>
  );
}

interface OneLimitProps {
  number: number;
  limit: LimitFields;
  pointer: string;
  onChange: (change: Partial<LimitFields>) => void;
  onRemove: () => void;
}

const WINDOWS: readonly Window[] = Object.keys(text.nouns.windows);
const COUNTINGS: readonly Counting[] = ["fixed", "gcra", "rolling"];

function OneLimit({ number, limit, pointer, onChange, onRemove }: OneLimitProps) {
  const { amount, window, counting, burst, zone } = limit;
  const repeated = useOwnFault(pointer);
  // Limits written through the API have windows of several units too.
  const windows = WINDOWS.includes(window) ? WINDOWS : [...WINDOWS, window];
  return (
    <div className={styles["limit"]} role="group" aria-label={words.limit(number)}>
      <TextField
        label={words.amount}
        value={amount}
        onChange={(typed) => onChange({ amount: typed })}
        pointer={`${pointer}/amount`}
        type="number"
        // A new limit is filled in next.
        autoFocus={amount === ""}
      />
      <Select<Window>
        label={words.window}
        value={window}
        choices={windows.map((value) => ({ value, label: windowInWords(value) }))}
        onChange={(chosen) => onChange({ window: chosen })}
        pointer={`${pointer}/window`}
        fault={repeated}
      />
      <Select<Counting>
        label={words.counting}
        value={counting}
        choices={COUNTINGS.map((value) => ({ value, ...words.countings[value] }))}
        onChange={(chosen) => onChange({ counting: chosen })}
      />
      {counting === "gcra" && (
        <TextField
          label={words.burst}
          value={burst}
          onChange={(typed) => onChange({ burst: typed })}
          pointer={`${pointer}/algorithm/burst`}
          type="number"
        />
      )}
      {counting === "fixed" && isCalendar(window) && (
        <TextField
          label={words.zone}
          value={zone}
          onChange={(typed) => onChange({ zone: typed })}
          pointer={`${pointer}/algorithm/zone`}
          placeholder="UTC"
          mono
        />
      )}
      <Button small aria-label={words.removeLimit(number)} onPress={onRemove}>
        {words.remove}
      </Button>
    </div>
  );
}
