// A form: faults at their fields, one attempt at a time, nothing typed is lost when it fails. A
// change that is saved but not yet in force is reported as such, and queries are refetched.

import { type ReactNode, useState } from "react";
import { Form as AriaForm } from "react-aria-components";
import { Problem } from "../api/problem";
import { queryClient } from "../api/query_client";
import { Faults } from "./Field";
import { ProblemNote } from "./ProblemNote";
import styles from "./Form.module.css";

interface FormProps {
  onSubmit: () => Promise<void>;
  /** Gets whether an attempt is under way. */
  children: (isPending: boolean) => ReactNode;
  label?: string;
}

export function Form({ onSubmit, children, label }: FormProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isPending, setPending] = useState(false);
  // What is saved already must not be saved once more, until something else is typed.
  const isSaved = problem?.isBehind ?? false;
  const submit = async () => {
    if (isPending || isSaved) return;
    setPending(true);
    setProblem(null);
    try {
      await onSubmit();
    } catch (error) {
      const problem = Problem.from(error);
      setProblem(problem);
      if (problem.isBehind) askAgain(problem);
    } finally {
      setPending(false);
    }
  };
  return (
    <AriaForm
      className={styles["form"] ?? ""}
      {...(label === undefined ? {} : { "aria-label": label })}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void submit();
      }}
    >
      <div
        className={styles["parts"]}
        onChange={() => {
          if (isSaved) setProblem(null);
        }}
      >
        {problem && <ProblemNote error={problem} />}
        <Faults value={problem}>{children(isPending || isSaved)}</Faults>
      </div>
    </AriaForm>
  );
}

const ASK_AGAIN_S = 2;

/** What is saved is shown at once, and once more when gateways have had time to follow. */
function askAgain({ retryAfterS = ASK_AGAIN_S }: Problem): void {
  void queryClient.invalidateQueries();
  setTimeout(() => void queryClient.invalidateQueries(), retryAfterS * 1_000);
}
