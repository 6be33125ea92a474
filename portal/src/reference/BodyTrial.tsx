import { useMemo } from "react";
import { prepareBody } from "./prepared_body";
import type { ChosenBody } from "./sent_body";
import { Trial, type TrialProps } from "./Trial";

export interface BodyTrialProps extends Omit<TrialProps, "bodies"> {
  /** The alternatives selected in a schema of the body. */
  chosen: ChosenBody | undefined;
}

/** Tries an operation that has a body, which begins with a sample; loaded on demand. */
export default function BodyTrial({ chosen, ...trial }: BodyTrialProps) {
  const { described, operation } = trial;
  const bodies = useMemo(() => {
    const all = operation.body?.bodies ?? [];
    return all.map((it) => prepareBody(described.document, it, chosen));
  }, [described, operation, chosen]);
  return <Trial {...trial} bodies={bodies} />;
}
