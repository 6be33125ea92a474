// A problem of the API: its message, code and request id.

import type { ReactNode } from "react";
import { Problem } from "../api/problem";
import { sentence } from "../text/sentence";
import { text } from "../text/text";
import { Button } from "./Button";
import { InlineCode } from "./Code";
import { Note } from "./Note";
import styles from "./ProblemNote.module.css";

interface ProblemNoteProps {
  error: unknown;
  /** Retries; offered if that may help. */
  onRetry?: (() => void) | undefined;
  /** Shown in place of the message and the faults. */
  children?: ReactNode;
}

export function ProblemNote({ error, onRetry, children }: ProblemNoteProps) {
  const problem = Problem.from(error);
  const unplaced = problem.faults.filter((fault) => fault.field === "");
  return (
    <Note
      tone={problem.isBehind ? "warning" : "bad"}
      actions={
        onRetry &&
        problem.mayPass && (
          <Button small onPress={onRetry}>
            {text.ui.retry}
          </Button>
        )
      }
    >
      {children ?? (
        <>
          <p>{sentence(problem.isBehind ? text.ui.behind : problem.message)}</p>
          {unplaced.map((fault) => (
            <p key={fault.code}>{sentence(fault.detail)}</p>
          ))}
        </>
      )}
      <p className={styles["small"]}>
        <code>{problem.code}</code>
        {problem.requestId && (
          <>
            {" · "}
            <InlineCode value={problem.requestId} label={text.ui.requestId} />
          </>
        )}
      </p>
    </Note>
  );
}
