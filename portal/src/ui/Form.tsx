// A form: shows faults at their fields, allows one attempt at a time, and keeps the input if it
// fails. A change that is saved but not yet in effect is reported, and queries are refetched.

import { type ReactNode, useState } from "react";
import { Form as AriaForm, FormContext } from "react-aria-components";
import { Problem } from "../api/problem";
import { queryClient } from "../api/query_client";
import { Faults } from "./Field";
import { ProblemNote } from "./ProblemNote";
import styles from "./Form.module.css";

interface FormProps {
  onSubmit: () => Promise<void>;
  /** Renders the content; receives whether an attempt is in progress. */
  children: (isPending: boolean) => ReactNode;
  label?: string;
}

export function Form({ onSubmit, children, label }: FormProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isPending, setPending] = useState(false);
  // A saved change must not be saved again until the input changes.
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
      if (problem.isBehind) refetch(problem);
    } finally {
      setPending(false);
    }
  };
  return (
    // A form in a dialog of another form would inherit that form's props and submit it, too.
    <FormContext.Provider value={null}>
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
    </FormContext.Provider>
  );
}

const REFETCH_S = 2;

/** Refetches at once, and again when gateways have had time to catch up. */
function refetch({ retryAfterS = REFETCH_S }: Problem): void {
  void queryClient.invalidateQueries();
  setTimeout(() => void queryClient.invalidateQueries(), retryAfterS * 1_000);
}
