// The operations of a version that have limits or a weight, each a row that unfolds to its fields.

import { useState } from "react";
import type { Configuration } from "../../api/queries/versions";
import { count } from "../../text/format";
import { limitsInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { TextField } from "../../ui/Field";
import { FoldedRow } from "../../ui/FoldedRow";
import { LimitsField } from "../../ui/LimitsField";
import { writeLimit } from "../../ui/limit_fields";
import { OperationsChoice } from "../policies/OperationsChoice";
import { operationPointers, operationRows } from "./operation_rows";
import { type OperationLimits, readOperation } from "./version_limits";

const words = text.publisher.version.limits;

interface OperationLimitsCardProps {
  draft: Configuration;
  /** Names of the plans that the version offers. */
  plans: readonly string[];
  operations: OperationLimits[];
  onChange: (operations: OperationLimits[]) => void;
}

export function OperationLimitsCard(props: OperationLimitsCardProps) {
  const { draft, plans, operations, onChange } = props;
  const [isAdding, setAdding] = useState(false);
  const [open, setOpen] = useState<string>();
  const rows = operationRows(draft);
  const pointers = operationPointers(draft);
  const taken = operations.map(({ key }) => key);
  const add = (chosen: readonly string[]) => {
    const added = rows.filter(({ key }) => chosen.includes(key)).map(readOperation);
    onChange([...operations, ...added]);
    setOpen(chosen[0]);
    setAdding(false);
  };
  return (
    <Card
      title={words.operations}
      note={words.operationsLead}
      actions={
        <Button
          small
          why={rows.length === operations.length ? words.noneLeft : undefined}
          onPress={() => setAdding(true)}
        >
          {words.addOperation}
        </Button>
      }
    >
      {operations.length === 0 && <p>{words.noOperations}</p>}
      {operations.map((operation, index) => (
        <OneOperation
          key={operation.key}
          operation={operation}
          plans={plans}
          pointer={pointers.get(operation.key) ?? ""}
          isOpen={open === operation.key}
          onToggle={(isOpen) => setOpen(isOpen ? operation.key : undefined)}
          onChange={(change) => onChange(operations.with(index, { ...operation, ...change }))}
        />
      ))}
      {isAdding && (
        <OperationsChoice
          title={words.chooseOperations}
          operations={rows.map(({ key }) => key)}
          taken={taken}
          chosen={[]}
          onChoose={add}
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  );
}

interface OneOperationProps {
  operation: OperationLimits;
  plans: readonly string[];
  /** JSON pointer of the operation in the draft. */
  pointer: string;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onChange: (change: Partial<OperationLimits>) => void;
}

function OneOperation(props: OneOperationProps) {
  const { operation, plans, pointer, isOpen, onToggle, onChange } = props;
  const { key, weight, limits } = operation;
  return (
    <FoldedRow
      name={key}
      // Its cards have the sentences.
      summary={isOpen ? "" : summaryOf(operation)}
      pointer={pointer}
      isOpen={isOpen}
      onToggle={onToggle}
      words={words.row}
    >
      <LimitsField
        owner="operation"
        limits={limits}
        plans={plans}
        onChange={(changed) => onChange({ limits: changed })}
        pointer={`${pointer}/limits`}
        empty={words.noOwn}
      />
      {weight !== undefined && (
        <TextField
          label={words.weight}
          value={weight}
          onChange={(typed) => onChange({ weight: typed })}
          pointer={`${pointer}/weight`}
          hint={words.weightHint}
          type="number"
        />
      )}
    </FoldedRow>
  );
}

function summaryOf({ weight = "1", limits }: OperationLimits): string {
  const written = limits.map((limit) => writeLimit(limit, "operation"));
  const inWords = limits.length > 0 ? limitsInWords(written, "operation") : words.noOwn;
  return weight === "1" ? inWords : `${inWords} ${words.costs(count(Number(weight)))}`;
}
