// The message of the dry run.

import { text } from "../../text/text";
import { Disclosure } from "../../ui/Disclosure";
import { Select, TextField } from "../../ui/Field";
import styles from "./DryRunInputs.module.css";
import type { Sample } from "./sample";

const words = text.publisher.version.policies.dryRun;

export interface DryInputs extends Sample {
  plan: string;
  /** A code of a refusal; empty for none. */
  refusal: string;
}

interface DryRunInputsProps {
  operations: readonly string[];
  operation: string | undefined;
  onOperation: (operation: string) => void;
  inputs: DryInputs;
  onChange: (inputs: Partial<DryInputs>) => void;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const LINES_MAX = 12;
const linesFor = (value: string) => Math.min(Math.max(value.split("\n").length, 2), LINES_MAX);

export function DryRunInputs(props: DryRunInputsProps) {
  const { operations, operation, onOperation, inputs, onChange } = props;
  return (
    <>
      {operation !== undefined && (
        <Select
          label={words.operation}
          value={operation}
          choices={operations.map((value) => ({ value, label: value }))}
          onChange={onOperation}
        />
      )}
      <div className={styles["target"]}>
        <Select
          label={words.method}
          value={inputs.method}
          choices={[...new Set([inputs.method, ...METHODS])].map((value) => ({
            value,
            label: value,
          }))}
          onChange={(method) => onChange({ method })}
          pointer="/request/method"
        />
        <TextField
          label={words.path}
          value={inputs.path}
          onChange={(path) => onChange({ path })}
          pointer="/request/path"
          hint={words.pathHint}
          mono
        />
      </div>
      <TextField
        label={words.headers}
        value={inputs.headers}
        onChange={(headers) => onChange({ headers })}
        pointer="/request/headers"
        hint={words.headersHint}
        lines={linesFor(inputs.headers)}
        mono
      />
      <TextField
        label={words.body}
        value={inputs.body}
        onChange={(body) => onChange({ body })}
        pointer="/request/body"
        lines={linesFor(inputs.body)}
        mono
      />
      <AnswerInputs inputs={inputs} onChange={onChange} />
      <Disclosure title={words.more}>
        <TextField
          label={words.plan}
          value={inputs.plan}
          onChange={(plan) => onChange({ plan })}
          pointer="/caller"
          hint={words.planHint}
          mono
        />
        <TextField
          label={words.refusal}
          value={inputs.refusal}
          onChange={(refusal) => onChange({ refusal: refusal.trim() })}
          pointer="/refusal"
          hint={words.refusalHint}
          mono
        />
      </Disclosure>
    </>
  );
}

function AnswerInputs({ inputs, onChange }: Pick<DryRunInputsProps, "inputs" | "onChange">) {
  return (
    <Disclosure title={words.response}>
      <TextField
        label={words.status}
        value={inputs.status}
        onChange={(status) => onChange({ status })}
        pointer="/response/status"
        type="number"
      />
      <TextField
        label={words.headers}
        value={inputs.answerHeaders}
        onChange={(answerHeaders) => onChange({ answerHeaders })}
        pointer="/response/headers"
        lines={linesFor(inputs.answerHeaders)}
        mono
      />
      <TextField
        label={words.body}
        value={inputs.answerBody}
        onChange={(answerBody) => onChange({ answerBody })}
        pointer="/response/body"
        lines={linesFor(inputs.answerBody)}
        mono
      />
    </Disclosure>
  );
}
