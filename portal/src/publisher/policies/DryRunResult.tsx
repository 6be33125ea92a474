// The result of a dry run: each step with its changes, what goes up, what the caller gets.

import type { DryResult, DryStep, Message } from "../../api/queries/mediate";
import { text } from "../../text/text";
import { Announced } from "../../ui/Announced";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { Note } from "../../ui/Note";
import { Sentence } from "../../ui/Sentence";
import type { DryInputs } from "./DryRunInputs";
import { MessageDiff } from "./MessageDiff";
import styles from "./DryRunResult.module.css";
import { linesOfMessage } from "./message_lines";
import type { PolicyWord } from "./policies";
import { dryMessages, fieldsOf } from "./sample";

const words = text.publisher.version.policies.dryRun;
const policies = text.publisher.version.policies.of;

interface DryRunResultProps {
  inputs: DryInputs;
  result: DryResult;
  onShow: (pointer: string) => void;
}

export function DryRunResult({ inputs, result, onShow }: DryRunResultProps) {
  const { request, response, error, answer, answered_by, refused } = result;
  const [given, answered] = givenOf(inputs);
  const failed = refused?.pointer ?? undefined;
  return (
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
      <Steps title={words.parts.request} steps={request.steps} given={given} onShow={onShow} />
      <h3>{words.sent}</h3>
      {request.sent ? (
        <Shown label={words.sent} message={request.sent} />
      ) : (
        <p>{words.nothingSent}</p>
      )}
      {response && (
        <Steps
          title={words.parts.response}
          steps={response.steps}
          given={answered}
          onShow={onShow}
        />
      )}
      {error && (
        <Steps title={words.parts.error} steps={error.steps} given={null} onShow={onShow} />
      )}
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
  );
}

/** Returns the messages as they were entered: the ones before the first steps. */
function givenOf(inputs: DryInputs): [Message, Message] {
  const parsed = (lines: string) => {
    const fields = fieldsOf(lines);
    return typeof fields === "number" ? [] : fields;
  };
  const { request, response } = dryMessages(
    inputs,
    parsed(inputs.headers),
    parsed(inputs.answerHeaders),
  );
  const bytes = (body = "") => new TextEncoder().encode(body).length;
  const { status = 200, headers = [], body } = response ?? {};
  return [
    { ...request, body: request.body ?? "", body_bytes: bytes(request.body) },
    { status, headers, body: body ?? "", body_bytes: bytes(body) },
  ];
}

function Shown({ label, message }: { label: string; message: Message }) {
  return <Code label={label} value={linesOfMessage(message).join("\n")} tall />;
}

interface StepsProps {
  title: string;
  steps: readonly DryStep[];
  /** The message before the first step, if it is known. */
  given: Message | null;
  onShow: (pointer: string) => void;
}

function Steps({ title, steps, given, onShow }: StepsProps) {
  return (
    <>
      <h3>{title}</h3>
      {steps.length === 0 && <p className={styles["quiet"]}>{words.none}</p>}
      <ol className={styles["steps"]}>
        {steps.map((step, index) => {
          const earlier = steps.slice(0, index).findLast(({ after }) => after != null);
          return (
            <Step key={step.pointer} step={step} before={earlier?.after ?? given} onShow={onShow} />
          );
        })}
      </ol>
    </>
  );
}

interface StepProps {
  step: DryStep;
  before: Message | null;
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
