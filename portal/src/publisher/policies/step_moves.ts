// Changes of a list of steps.

import { KEY, type StepFields, copyOf } from "./step_fields";

type Steps = readonly StepFields[];

/** Moves a step before the one at `to`, counted without the moved one. */
export function moved(steps: Steps, from: number, to: number): StepFields[] {
  const rest = steps.toSpliced(from, 1);
  const step = steps[from];
  return step === undefined ? rest : rest.toSpliced(to, 0, step);
}

/** Inserts a copy of a step below it; returns also its key. */
export function duplicated(steps: Steps, index: number): { steps: StepFields[]; key: number } {
  const step = steps[index];
  if (step === undefined) return { steps: [...steps], key: 0 };
  const copy = copyOf(step);
  return { steps: steps.toSpliced(index + 1, 0, copy), key: copy[KEY] };
}

/** Returns the position that a step dragged from `from` gets when dropped at an edge of a row. */
export function dropPosition(from: number, at: number, edge: "above" | "below"): number {
  const before = edge === "above" ? at : at + 1;
  return from < before ? before - 1 : before;
}
