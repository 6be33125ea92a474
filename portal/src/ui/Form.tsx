// A form: faults at their fields, one attempt at a time, nothing typed is lost when it fails.

import { type ReactNode, useState } from "react";
import { Form as AriaForm } from "react-aria-components";
import { Problem } from "../api/problem";
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
  const submit = async () => {
    if (isPending) return;
    setPending(true);
    setProblem(null);
    try {
      await onSubmit();
    } catch (error) {
      setProblem(Problem.from(error));
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
      {problem && <ProblemNote error={problem} />}
      <Faults value={problem}>{children(isPending)}</Faults>
    </AriaForm>
  );
}
