// How a limit counts, and what happens beyond its amount.

import { text } from "../text/text";
import { Select, TextField } from "./Field";
import {
  type Counting,
  type Exceeding,
  type LimitFields,
  countingsOf,
  exceedingsOf,
  isCalendar,
} from "./limit_fields";

const words = text.limits;
const elsewhere = words.elsewhere;

export interface PartProps {
  limit: LimitFields;
  /** JSON pointer of the limit in the request. */
  pointer: string;
  onChange: (change: Partial<LimitFields>) => void;
}

export function CountingFields(props: PartProps) {
  const { limit, pointer, onChange } = props;
  const { metric, counting, exceeding } = limit;
  const countings = countingsOf(metric);
  return (
    <>
      {countings.length > 0 && (
        <Select<Counting>
          label={words.counting}
          value={counting}
          choices={countings.map((value) => ({ value, ...words.countings[value] }))}
          onChange={(chosen) => onChange({ counting: chosen })}
          {...(counting === "gcra" ? { hint: elsewhere.burst } : {})}
        />
      )}
      <Select<Exceeding>
        label={words.exceeding}
        value={exceeding}
        choices={exceedingsOf(limit).map((value) => ({ value, ...words.exceedings[value] }))}
        onChange={(chosen) => onChange({ exceeding: chosen })}
        pointer={`${pointer}/on_exceeding`}
        {...(exceeding === "observe" ? {} : { hint: hardness[exceeding] })}
      />
      <AlgorithmFields {...props} />
      {exceeding === "soft" && (
        <TextField
          label={words.overage}
          value={limit.overage}
          onChange={(overage) => onChange({ overage })}
          pointer={`${pointer}/soft`}
          type="number"
        />
      )}
    </>
  );
}

const hardness = { reject: elsewhere.hard, soft: elsewhere.soft };

function AlgorithmFields({ limit, pointer, onChange }: PartProps) {
  const { metric, counting } = limit;
  if (metric === "concurrent") return null;
  if (counting === "gcra") {
    return (
      <TextField
        label={words.burst}
        value={limit.burst}
        onChange={(burst) => onChange({ burst })}
        pointer={`${pointer}/algorithm/burst`}
        type="number"
      />
    );
  }
  if (counting === "rolling" || !isCalendar(limit)) return null;
  return (
    <>
      <TextField
        label={words.zone}
        value={limit.zone}
        onChange={(zone) => onChange({ zone })}
        pointer={`${pointer}/algorithm/zone`}
        placeholder="UTC"
        mono
      />
      <TextField
        label={words.anchor}
        value={limit.anchor}
        onChange={(anchor) => onChange({ anchor })}
        pointer={`${pointer}/algorithm/anchor`}
        placeholder="2026-01-31"
        hint={words.anchorHint}
        mono
      />
    </>
  );
}
