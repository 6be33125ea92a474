// The dry run beside the steps: a message, and what becomes of it. Unsaved steps are tried.

import { useState } from "react";
import { Problem } from "../../api/problem";
import { type DryResult, mediate } from "../../api/queries/mediate";
import type { Configuration, Version } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Form, type Lead } from "../../ui/Form";
import { DryRunInputs, type DryInputs } from "./DryRunInputs";
import { DryRunResult } from "./DryRunResult";
import { operationNames } from "./operation_names";
import { type PolicyFields, writePolicies } from "./policy_fields";
import type { Kind } from "./policies";
import { dryMessages, fieldsOf } from "./sample";
import { useSample } from "./use_sample";

const words = text.publisher.version.policies.dryRun;

interface DryRunProps {
  kind: Kind;
  version: Version;
  draft: Configuration;
  fields: PolicyFields;
  /** Receives the problem of a run; null if there was none. */
  onTried: (problem: Problem | null) => void;
  /** Leads to the steps. */
  lead: Lead;
}

/** Maximum number of operations in the choice: others are entered by method and path. */
const OPERATIONS_MAX = 200;

export function DryRun(props: DryRunProps) {
  const { kind, version, draft, fields, onTried, lead } = props;
  const operations = operationNames(draft).slice(0, OPERATIONS_MAX);
  const [operation, setOperation] = useState(operations[0]);
  const sample = useSample(version, kind, operation);
  const [edited, setEdited] = useState<Partial<DryInputs>>({});
  const [result, setResult] = useState<DryResult | null>(null);
  if (!sample)
    return (
      <Card title={words.title} note={words.note}>
        {null}
      </Card>
    );
  const inputs: DryInputs = { ...sample, plan: "", refusal: "", ...edited };
  const run = async () => {
    setResult(null);
    try {
      const body = bodyOf(inputs, fields);
      setResult(await mediate(version.id, body));
      onTried(null);
    } catch (error) {
      const problem = Problem.from(error);
      onTried(problem);
      throw problem;
    }
  };
  return (
    <>
      <Card title={words.title} note={words.note}>
        <Form onSubmit={run} label={words.title} lead={lead}>
          {(isPending) => (
            <>
              <DryRunInputs
                operations={operations}
                operation={operation}
                onOperation={(chosen) => {
                  setOperation(chosen);
                  // The example of another operation replaces what was entered for this one.
                  setEdited({ plan: inputs.plan, refusal: inputs.refusal });
                }}
                inputs={inputs}
                onChange={(change) => setEdited({ ...edited, ...change })}
              />
              {kind === "soap_to_rest" && <p>{words.soap}</p>}
              <div>
                <Button type="submit" isPending={isPending}>
                  {words.run}
                </Button>
              </div>
            </>
          )}
        </Form>
      </Card>
      {result && <DryRunResult result={result} onShow={lead.show} />}
    </>
  );
}

/** Returns the request of a run; throws a problem at a field that cannot be sent. */
function bodyOf(inputs: DryInputs, fields: PolicyFields) {
  const { plan, refusal } = inputs;
  const headersOf = (name: "headers" | "answerHeaders", pointer: string) => {
    const parsed = fieldsOf(inputs[name]);
    if (typeof parsed === "number") throw Problem.atField(pointer, words.badHeader(parsed));
    return parsed;
  };
  const headers = headersOf("headers", "/request/headers");
  const answerHeaders = headersOf("answerHeaders", "/response/headers");
  return {
    of: "draft" as const,
    // A cache does not change what steps do.
    policies: { ...writePolicies(fields), cache: null },
    ...dryMessages(inputs, headers, answerHeaders),
    ...(plan === "" ? {} : { caller: { plan, environment: "production" as const } }),
    ...(refusal === "" ? {} : { refusal }),
  };
}
