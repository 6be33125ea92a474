// Removed operations: who calls them, and which other operation receives these calls, if any.

import type { RemovedOperation } from "../../api/queries/documents";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Card, Facts } from "../../ui/Card";
import { LongList } from "../../ui/LongList";
import { Note } from "../../ui/Note";
import { OperationName } from "../../ui/OperationName";
import { accessInWords } from "../versions/security_changes";
import styles from "./Document.module.css";
import { RuleButton } from "./RuleButton";

const words = text.publisher.version.document.removed;

export function RemovedCard({ removed }: { removed: readonly RemovedOperation[] }) {
  if (removed.length === 0) return null;
  return (
    <Card title={words.title(count(removed.length))} note={words.note}>
      <LongList all={words.all}>
        {removed.map((operation) => (
          <li key={`${operation.method} ${operation.path}`}>
            <Removed {...operation} />
          </li>
        ))}
      </LongList>
    </Card>
  );
}

function Removed({ method, path, breaking, calls_last_day, callers, ...rest }: RemovedOperation) {
  const calls = words.calls(count(calls_last_day));
  return (
    <>
      <OperationName method={method} name={path} />
      <p className={styles["facts"]}>
        <span>{calls_last_day > 0 ? words.lastDay(calls) : words.noCalls}</span>
        <RuleButton rule={breaking} />
      </p>
      {callers.length > 0 && (
        <p>
          {words.by}{" "}
          {callers
            .map(({ application, calls }) =>
              words.caller(
                application ? (application.name ?? application.id) : words.nobody,
                count(calls),
              ),
            )
            .join(", ")}
        </p>
      )}
      {rest.reached && <Reached method={method} before={rest.access} reached={rest.reached} />}
    </>
  );
}

interface ReachedProps {
  method: string;
  before: RemovedOperation["access"];
  reached: NonNullable<RemovedOperation["reached"]>;
}

function Reached({ method, before, reached: { path, access } }: ReachedProps) {
  const name = `${method} ${path}`;
  return (
    <Note tone="warning">
      <p>
        <strong>{words.reached(name)}</strong>
      </p>
      <Facts
        facts={[
          [words.before, accessInWords(before)],
          [words.now(name), accessInWords(access)],
        ]}
      />
    </Note>
  );
}
