// The result of a dry run: each step with its changes, what goes up, what the caller gets.

import { useEffect, useRef } from "react";
import type { DryResult, DryStep, DrySteps, Message } from "../../api/queries/mediate";
import { text } from "../../text/text";
import { Announced } from "../../ui/Announced";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";
import { MessageDiff } from "./MessageDiff";
import styles from "./DryRunResult.module.css";
import { linesOfMessage } from "./message_lines";
import type { PolicyWord } from "./policies";

const words = text.publisher.version.policies.dryRun;
const policies = text.publisher.version.policies.of;

interface DryRunResultProps {
  result: DryResult;
  onShow: (pointer: string) => void;
}

export function DryRunResult({ result, onShow }: DryRunResultProps) {
  const { request, response, error, answer, answered_by, refused } = result;
  const failed = refused?.pointer ?? undefined;
  const top = useRef<HTMLDivElement>(null);
  // It is below the button, often out of view. Some browsers return a promise, which is no cleanup.
  useEffect(() => {
    top.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <div ref={top}>
      <Card title={words.results}>
        <Announced>{words.results}</Announced>
        {refused && (
          <Note
            tone="bad"
            actions={
              failed !== undefined && (
                <Button small onPress={() => onShow(failed)}>
                  {words.toStep}
                </Button>
              )
            }
          >
            <p>
              <strong>{words.refused(refused.code, refused.status)}</strong>{" "}
              <Sentence>{refused.detail}</Sentence>
            </p>
          </Note>
        )}
        <Steps title={words.parts.request} list={request} onShow={onShow} />
        <h3>{words.sent}</h3>
        {request.sent ? (
          <Shown label={words.sent} message={request.sent} />
        ) : (
          <p>{words.nothingSent}</p>
        )}
        {response && <Steps title={words.parts.response} list={response} onShow={onShow} />}
        {error && <Steps title={words.parts.error} list={error} onShow={onShow} />}
        <h3>{words.answer}</h3>
        {answer ? (
          <>
            <p className={styles["quiet"]}>{words.answeredBy[answered_by]}</p>
            <Shown label={words.answer} message={answer} />
          </>
        ) : (
          <p>{words.noAnswer}</p>
        )}
      </Card>
    </div>
  );
}

function Shown({ label, message }: { label: string; message: Message }) {
  return <Code label={label} value={linesOfMessage(message).join("\n")} tall />;
}

interface StepsProps {
  title: string;
  list: DrySteps;
  onShow: (pointer: string) => void;
}

function Steps({ title, list, onShow }: StepsProps) {
  const { before, steps } = list;
  return (
    <>
      <h3>{title}</h3>
      {steps.length === 0 && <p className={styles["quiet"]}>{words.none}</p>}
      <ol className={styles["steps"]}>
        {steps.map((step, index) => {
          const earlier = steps.slice(0, index).findLast(({ after }) => after != null);
          return (
            <Step
              key={step.pointer}
              step={step}
              before={earlier?.after ?? before}
              onShow={onShow}
            />
          );
        })}
      </ol>
    </>
  );
}

interface StepProps {
  step: DryStep;
  before: Message;
  onShow: (pointer: string) => void;
}

function Step({ step, before, onShow }: StepProps) {
  const { pointer, policy, ran, reason, after } = step;
  const { label } = policies[policy as PolicyWord];
  const ranWords = after == null ? words.unchanged : words.ran;
  return (
    <li className={styles["step"]}>
      <button
        type="button"
        className={styles["name"]}
        aria-label={words.show(label)}
        onClick={() => onShow(pointer)}
      >
        {label}
      </button>{" "}
      <Badge tone={ran ? "good" : "quiet"}>{ran ? ranWords : words.skipped(reason ?? "")}</Badge>
      {after != null && <MessageDiff label={label} before={before} after={after} />}
    </li>
  );
}
