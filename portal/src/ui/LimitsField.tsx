// A list of limits of one owner: add, change, remove.

import { useId } from "react";
import type { Owner } from "../text/limit";
import { text } from "../text/text";
import { Button } from "./Button";
import { LimitCard } from "./LimitCard";
import { fieldAttributes } from "./fault_places";
import styles from "./LimitsField.module.css";
import { type LimitFields, limitsMax, newLimit } from "./limit_fields";

const words = text.limits;

interface LimitsFieldProps {
  owner: Owner;
  limits: readonly LimitFields[];
  onChange: (limits: LimitFields[]) => void;
  /** JSON pointer of the list in the request. */
  pointer: string;
  /** Shown if there is no limit. */
  empty?: string;
  /** Names of the plans that a limit of an operation can apply to. */
  plans?: readonly string[] | undefined;
}

export function LimitsField({ owner, limits, onChange, pointer, empty, plans }: LimitsFieldProps) {
  const add = useId();
  const max = limitsMax(owner);
  const set = (index: number, change: Partial<LimitFields>) =>
    onChange(limits.map((limit, at) => (at === index ? { ...limit, ...change } : limit)));
  const remove = (index: number) => {
    onChange(limits.filter((_, at) => at !== index));
    // The pressed button disappears with its limit.
    document.getElementById(add)?.focus();
  };
  return (
    <div className={styles["list"]} {...fieldAttributes(pointer)}>
      {limits.length === 0 && empty !== undefined && <p>{empty}</p>}
      {limits.map((limit, index) => (
        <LimitCard
          key={index}
          owner={owner}
          number={index + 1}
          limit={limit}
          pointer={`${pointer}/${index}`}
          plans={plans}
          onChange={(change) => set(index, change)}
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button
          small
          id={add}
          why={limits.length >= max ? words.tooMany(max) : undefined}
          onPress={() => onChange([...limits, newLimit(owner)])}
        >
          {words.add}
        </Button>
      </div>
    </div>
  );
}
