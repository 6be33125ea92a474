// One limit as a card: its sentence, its fields, and those that few limits need, on request.

import {
  DIMENSIONS,
  type Dimension,
  type Metric,
  OWN_DIMENSION,
  type Owner,
  limitInWords,
} from "../text/limit";
import { sentence } from "../text/sentence";
import { text } from "../text/text";
import { Button } from "./Button";
import { CheckboxGroup } from "./Checkbox";
import { ConditionsField } from "./ConditionsField";
import { Disclosure } from "./Disclosure";
import { Select, TextField, useFaults, useOwnFault } from "./Field";
import { Frame } from "./Frame";
import styles from "./LimitCard.module.css";
import { CountingFields, type PartProps } from "./LimitCounting";
import {
  type Applies,
  type LimitFields,
  UNITS,
  type Unit,
  isCalendar,
  lackingField,
  metricsOf,
  possible,
  writeLimit,
} from "./limit_fields";

const words = text.limits;
const elsewhere = words.elsewhere;

interface LimitCardProps {
  owner: Owner;
  number: number;
  limit: LimitFields;
  /** JSON pointer of the limit in the request. */
  pointer: string;
  plans: readonly string[] | undefined;
  onChange: (change: Partial<LimitFields>) => void;
  onRemove: () => void;
}

export function LimitCard(props: LimitCardProps) {
  const { owner, number, pointer, plans, onChange, onRemove } = props;
  const limit = possible(props.limit);
  const repeated = useOwnFault(pointer);
  return (
    <Frame label={words.limit(number)} pointer={pointer}>
      <div className={styles["head"]}>
        <p className={styles["sentence"]}>{sentenceOf(limit, owner)}</p>
        <Button small aria-label={words.removeLimit(number)} onPress={onRemove}>
          {words.remove}
        </Button>
      </div>
      {repeated !== undefined && <p className={styles["fault"]}>{repeated}</p>}
      <div className={styles["fields"]}>
        <AmountFields owner={owner} limit={limit} pointer={pointer} onChange={onChange} />
        {owner !== "upstream" && (
          <DimensionFields owner={owner} limit={limit} pointer={pointer} onChange={onChange} />
        )}
        <CountingFields limit={limit} pointer={pointer} onChange={onChange} />
      </div>
      <More owner={owner} limit={limit} pointer={pointer} plans={plans} onChange={onChange} />
    </Frame>
  );
}

/** Returns the sentence of a limit as entered. */
function sentenceOf(limit: LimitFields, owner: Owner): string {
  const lacking = lackingField(limit);
  if (lacking !== undefined) return words.lacking[lacking];
  return sentence(limitInWords(writeLimit(limit, owner), owner));
}

type OwnedPartProps = PartProps & { owner: Owner };

function AmountFields({ owner, limit, pointer, onChange }: OwnedPartProps) {
  const { amount, metric, windowCount, windowUnit } = limit;
  return (
    <>
      <TextField
        label={words.amount}
        value={amount}
        onChange={(typed) => onChange({ amount: typed })}
        pointer={`${pointer}/amount`}
        hint={words.amountHints[metric]}
        type="number"
        // A new limit is filled in next.
        autoFocus={amount === ""}
      />
      <Select<Metric>
        label={words.metric}
        value={metric}
        choices={metricsOf(owner).map((value) => ({ value, ...words.metrics[value] }))}
        onChange={(chosen) => onChange({ metric: chosen })}
        pointer={`${pointer}/metric`}
        {...(metric === "bytes_in" ? { hint: elsewhere.bandwidth } : {})}
      />
      {metric !== "concurrent" && (
        <>
          <TextField
            label={words.windowCount}
            value={windowCount}
            onChange={(typed) => onChange({ windowCount: typed })}
            type="number"
          />
          <Select<Unit>
            label={words.windowUnit}
            value={windowUnit}
            choices={UNITS.map((value) => ({
              value,
              label: words.unit(value, windowCount === "1"),
            }))}
            onChange={(chosen) => onChange({ windowUnit: chosen })}
            pointer={`${pointer}/window`}
            hint={isCalendar(limit) ? elsewhere.throttle : elsewhere.rate}
          />
        </>
      )}
    </>
  );
}

type Other = Dimension | "none";

function DimensionFields({ owner, limit, pointer, onChange }: OwnedPartProps) {
  const own = OWN_DIMENSION[owner];
  const [first, second] = own === undefined ? limit.per : [own, ...limit.per];
  const others = DIMENSIONS.filter((it) => it !== first);
  const shared = owner === "application" ? words.allItsCalls : words.together;
  const none = own === undefined ? words.alone : shared;
  return (
    <>
      {own === undefined && (
        <Select<Dimension>
          label={words.per}
          value={first ?? "subscription"}
          choices={DIMENSIONS.map((value) => ({ value, ...words.perOf[value] }))}
          onChange={(chosen) =>
            onChange({ per: [chosen, ...limit.per.slice(1).filter((it) => it !== chosen)] })
          }
          pointer={`${pointer}/per`}
          hint={second === undefined ? levelOf(first) : elsewhere.custom}
        />
      )}
      <Select<Other>
        label={own === undefined ? words.and : words.per}
        value={second ?? "none"}
        choices={[
          { value: "none" as const, ...none },
          ...others.map((value) => ({ value, ...words.perOf[value] })),
        ]}
        onChange={(chosen) => {
          const kept = own === undefined ? limit.per.slice(0, 1) : [];
          onChange({ per: chosen === "none" ? kept : [...kept, chosen] });
        }}
        {...(own === undefined ? {} : { pointer: `${pointer}/per` })}
      />
    </>
  );
}

/** Returns the level of a dimension in the words of other products. */
function levelOf(dimension: Dimension | undefined): string {
  if (dimension === undefined || dimension === "user" || dimension === "address") {
    return elsewhere.custom;
  }
  return elsewhere[dimension];
}

type MoreProps = OwnedPartProps & { plans: readonly string[] | undefined };

function More({ owner, limit, pointer, plans = [], onChange }: MoreProps) {
  const { name, applies, conditions } = limit;
  const hasFault = useFaults(pointer).some(({ field }) =>
    /^\/(name|if|otherwise|plans)/.test(field.slice(pointer.length)),
  );
  const isUsed = name !== "" || applies !== "always" || limit.plans.length > 0;
  const offered = [...new Set([...plans, ...limit.plans])];
  const choices: readonly Applies[] =
    owner === "upstream" ? ["always"] : ["always", "if", "otherwise"];
  const groups = {
    always: {},
    if: { hint: elsewhere.group },
    otherwise: { hint: elsewhere.defaultGroup },
  };
  return (
    <Disclosure
      key={String(hasFault)}
      title={owner === "operation" ? words.moreOfOperation : words.more}
      isOpen={isUsed || hasFault}
    >
      {choices.length > 1 && (
        <Select<Applies>
          label={words.applies}
          value={applies}
          choices={choices.map((value) => ({ value, ...words.appliesTo[value] }))}
          onChange={(chosen) => onChange({ applies: chosen })}
          pointer={`${pointer}/otherwise`}
          {...groups[applies]}
        />
      )}
      {applies === "if" && (
        <ConditionsField
          tests={conditions}
          pointer={`${pointer}/if`}
          onChange={(changed) => onChange({ conditions: changed })}
        />
      )}
      {owner === "operation" && offered.length > 0 && (
        <CheckboxGroup
          label={words.plans}
          value={limit.plans}
          onChange={(chosen) => onChange({ plans: chosen })}
          choices={offered.map((plan) => ({ value: plan, label: plan }))}
          pointer={`${pointer}/plans`}
        />
      )}
      <TextField
        label={words.name}
        value={name}
        onChange={(typed) => onChange({ name: typed })}
        pointer={`${pointer}/name`}
        hint={words.nameHint}
        mono
      />
    </Disclosure>
  );
}
