// The outcome of a form's last attempt, below its buttons: what failed, and each fault with a
// button that leads to its field.

import type { ReactNode } from "react";
import type { Problem } from "../api/problem";
import { sentence } from "../text/sentence";
import { text } from "../text/text";
import styles from "./FailedAttempt.module.css";
import type { NamedFault } from "./fault_places";
import { ProblemNote } from "./ProblemNote";
import { Sentence } from "./Sentence";

interface FailedAttemptProps {
  problem: Problem;
  faults: readonly NamedFault[];
  /** Focuses the field with this JSON pointer. */
  onShow: (pointer: string) => void;
  /** Returns a link to the page that has the field with this JSON pointer, if there is one. */
  elsewhere?: ((pointer: string) => ReactNode) | undefined;
}

export function FailedAttempt({ problem, faults, onShow, elsewhere }: FailedAttemptProps) {
  const isOfFields = faults.some(({ fault, name }) => fault.field !== "" || name !== undefined);
  if (!isOfFields) return <Shown problem={problem} />;
  // The message is that of the only fault, or their number.
  const isRepeated = faults.length > 1 || faults[0]?.fault.detail === problem.message;
  const placeOf = ({ fault: { field }, name }: NamedFault) => {
    if (name !== undefined) return <FaultButton onPress={() => onShow(field)}>{name}</FaultButton>;
    return elsewhere?.(field) ?? <code>{field}</code>;
  };
  return (
    <Shown problem={problem}>
      {!isRepeated && <p>{sentence(problem.message)}</p>}
      <p>
        <strong>{text.ui.faults(faults.length)}</strong>
      </p>
      <FaultItems>
        {faults.map((it) => (
          <li key={`${it.fault.field} ${it.fault.detail}`}>
            {placeOf(it)} <Sentence>{it.fault.detail}</Sentence>
          </li>
        ))}
      </FaultItems>
    </Shown>
  );
}

/** Scrolls to the outcome once: a form may be longer than the window. */
const reveal = (element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" });

function Shown({ problem, children }: { problem: Problem; children?: ReactNode }) {
  return (
    <div ref={reveal}>
      <ProblemNote error={problem}>{children}</ProblemNote>
    </div>
  );
}

/** A list of faults or notes, which scrolls if it is long. */
export function FaultItems({ children }: { children: ReactNode }) {
  return <ul className={styles["faults"]}>{children}</ul>;
}

/** A button in a text that leads to the field of a fault. */
export function FaultButton({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles["fault"]} onClick={onPress}>
      {children}
    </button>
  );
}
