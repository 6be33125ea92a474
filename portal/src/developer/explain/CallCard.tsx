// A single call: its facts, the steps that it passed, and the limit that refused it.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type CallStep, type ExplainedCall, explainedCall } from "../../api/queries/calls";
import { Problem } from "../../api/problem";
import { bytes, duration } from "../../text/format";
import { limitInWords } from "../../text/limit";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import { Badge, type Tone, statusTone } from "../../ui/Badge";
import { Card, Facts } from "../../ui/Card";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Time } from "../../ui/Time";
import styles from "./CallCard.module.css";
import { titleOfRefusal } from "./refusals";

const words = text.developer.explain.call;

interface CallCardProps {
  id: string;
  /** Explains what refused a call. */
  explain: (call: ExplainedCall) => ReactNode;
  /** Shown if the call is not found, below a note of that. */
  otherwise: ReactNode;
}

export function CallCard({ id, explain, otherwise }: CallCardProps) {
  const query = useQuery(explainedCall(id));
  if (query.isError && Problem.from(query.error).status === 404) {
    return (
      <>
        <Note tone="information">{sentence(Problem.from(query.error).message)}</Note>
        {otherwise}
      </>
    );
  }
  return (
    <Loaded query={query}>
      {(call) => (
        <>
          <Card title={words.title} note={<Time at={call.at} />}>
            <Facts facts={factsOf(call)} />
            <Steps call={call} />
          </Card>
          {explain(call)}
        </>
      )}
    </Loaded>
  );
}

function factsOf(call: ExplainedCall): [string, ReactNode][] {
  const { api, version, operation, application, plan, credential, upstream, revision } = call;
  const apiAndVersion = [named(api), named(version)].filter(Boolean).join(" ");
  const facts: [string, ReactNode][] = [
    [
      words.response,
      <span key="response">
        {call.status === 0 ? (
          <Badge tone="quiet">{words.noStatus}</Badge>
        ) : (
          <Badge tone={statusTone(call.status)}>{call.status}</Badge>
        )}{" "}
        {call.refusal && titleOfRefusal(call.refusal)}
      </span>,
    ],
    [words.api, apiAndVersion],
    [words.operation, named(operation) ?? call.method],
    [words.application, named(application)],
    [words.plan, named(plan)],
    [words.credential, credential && <code>{credential}</code>],
    [words.took, duration(call.total_us)],
    [words.sent, words.bytes(bytes(call.bytes_in), bytes(call.bytes_out))],
    [words.upstream, upstream?.status],
    [words.revision, revision?.number],
    [words.network, call.network],
    [words.requestId, <code key="id">{call.request_id}</code>],
  ];
  return facts.filter(([, fact]) => fact !== undefined && fact !== "" && fact !== null);
}

type Named = NonNullable<ExplainedCall["api"]>;

const named = (it: Named | null | undefined) => it?.name ?? it?.id;

const TONES: Record<CallStep["decision"], Tone> = {
  passed: "good",
  answered: "information",
  refused: "bad",
  cut: "warning",
};

function Steps({ call }: { call: ExplainedCall }) {
  return (
    <ol className={styles["steps"]} aria-label={words.steps}>
      {call.steps.map((step) => (
        <li key={step.step}>
          <span className={styles["name"]}>{words.names[step.step]}</span>
          <Badge tone={TONES[step.decision]}>{words.decisions[step.decision]}</Badge>
          <span className={styles["time"]}>
            {step.ns !== undefined && step.ns !== null && duration(step.ns / 1_000)}
          </span>
          {step.decision === "refused" && <Refusing call={call} />}
        </li>
      ))}
    </ol>
  );
}

/** The limit or the step of a policy that refused the call. */
function Refusing({ call: { limit, policy } }: { call: ExplainedCall }) {
  if (policy) {
    return <span className={styles["reason"]}>{words.policy[policy.list](policy.index + 1)}</span>;
  }
  if (!limit) return null;
  const owner = words.owners[limit.of];
  return (
    <div className={styles["reason"]}>
      <p>
        {limit.limit
          ? words.limit(owner, limitInWords(limit.limit, limit.of))
          : words.noLimit(owner)}
      </p>
      {limit.is_changed && <Note tone="information">{words.changed}</Note>}
    </div>
  );
}
