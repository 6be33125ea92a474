// The form for a plan, with what its callers see beside it.

import type { ReactNode } from "react";
import { text } from "../../text/text";
import { Beside } from "../../ui/Beside";
import { Card } from "../../ui/Card";
import { Checkbox } from "../../ui/Checkbox";
import { TextField, useFaults } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { LeaveGuard } from "../../ui/LeaveGuard";
import { LimitsField } from "../../ui/LimitsField";
import { lackingField, writeLimit } from "../../ui/limit_fields";
import { SaveActions } from "../../ui/SaveActions";
import { CallerSees } from "./CallerSees";
import { Elsewhere } from "./Elsewhere";
import styles from "./PlanForm.module.css";
import type { PlanFields } from "./plan_fields";

const words = text.admin.plans;

interface PlanFormProps {
  fields: PlanFields;
  saved: PlanFields;
  /** Label of the button, if it is not Save. */
  submit?: string | undefined;
  onChange: (fields: PlanFields) => void;
  onSubmit: () => Promise<void>;
  /** What a change affects, beside the button. */
  children?: ReactNode;
}

export function PlanForm(props: PlanFormProps) {
  const { fields, saved, submit, onChange, onSubmit, children } = props;
  const isDirty = JSON.stringify(fields) !== JSON.stringify(saved);
  const set = (change: Partial<PlanFields>) => onChange({ ...fields, ...change });
  const complete = fields.limits.filter((limit) => lackingField(limit) === undefined);
  const beside = (
    <>
      <CallerSees limits={complete.map((limit) => writeLimit(limit, "plan"))} />
      <Elsewhere />
    </>
  );
  return (
    <Beside content={beside}>
      <LeaveGuard isDirty={isDirty} />
      <Form onSubmit={onSubmit}>
        {(isPending) => (
          <>
            <About fields={fields} onChange={set} />
            <Card title={words.limits} note={words.limitsLead}>
              <LimitsField
                owner="plan"
                limits={fields.limits}
                onChange={(limits) => set({ limits })}
                pointer="/limits"
              />
              {fields.limits.length === 0 && <Unlimited fields={fields} onChange={set} />}
              <Checkbox
                isSelected={fields.countsFailures}
                onChange={(countsFailures) => set({ countsFailures })}
                hint={words.countFailuresHint}
              >
                {words.countFailures}
              </Checkbox>
            </Card>
            {children}
            <SaveActions
              isPending={isPending}
              isDirty={isDirty}
              onUndo={() => onChange(saved)}
              submit={submit}
            />
          </>
        )}
      </Form>
    </Beside>
  );
}

interface PartProps {
  fields: PlanFields;
  onChange: (change: Partial<PlanFields>) => void;
}

function About({ fields: { name, title, description }, onChange }: PartProps) {
  return (
    <Card title={words.about}>
      <div className={styles["names"]}>
        <TextField
          label={words.name}
          value={name}
          onChange={(typed) => onChange({ name: typed })}
          pointer="/name"
          hint={words.nameHint}
          autoComplete="off"
          mono
        />
        <TextField
          label={words.planTitle}
          value={title}
          onChange={(typed) => onChange({ title: typed })}
          pointer="/title"
          hint={words.titleHint}
          autoComplete="off"
        />
      </div>
      <TextField
        label={words.description}
        value={description}
        onChange={(typed) => onChange({ description: typed })}
        pointer="/description"
        lines={2}
      />
    </Card>
  );
}

function Unlimited({ fields: { isUnlimited }, onChange }: PartProps) {
  const [fault] = useFaults("/limits");
  return (
    <>
      <p>{words.noLimits}</p>
      <Checkbox
        isSelected={isUnlimited}
        onChange={(is) => onChange({ isUnlimited: is })}
        hint={words.unlimitedHint}
      >
        {words.unlimited}
      </Checkbox>
      {fault && <p className={styles["fault"]}>{fault.detail}</p>}
    </>
  );
}
