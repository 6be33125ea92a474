// Steps of operations that the version no longer has: read-only, until a document returns them.

import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { operationsText } from "./operation_names";
import styles from "./AsideCard.module.css";
import type { OperationPolicies } from "./policy_fields";
import { PLACES } from "./policies";
import { readStep } from "./step_fields";
import { summaryOf } from "./summaries";

const words = text.publisher.version.policies;

interface AsideCardProps {
  aside: readonly OperationPolicies[];
  onChange: (aside: readonly OperationPolicies[]) => void;
}

export function AsideCard({ aside, onChange }: AsideCardProps) {
  if (aside.length === 0) return null;
  return (
    <Card title={words.aside.title} note={words.aside.note}>
      {aside.map((it, index) => (
        <div key={index} className={styles["aside"]}>
          <code>{operationsText(it.operations)}</code>
          <Button
            small
            aria-label={words.aside.removeOf(operationsText(it.operations))}
            onPress={() => onChange(aside.toSpliced(index, 1))}
          >
            {words.aside.remove}
          </Button>
          <ul className={styles["steps"]}>
            {PLACES.flatMap((place) =>
              (it[place] ?? []).map((step, at) => {
                const fields = readStep(step);
                return (
                  <li key={`${place} ${at}`}>
                    {words.places[place]}: {words.of[fields.policy].label}{" "}
                    <code>{summaryOf(fields)}</code>
                  </li>
                );
              }),
            )}
          </ul>
        </div>
      ))}
    </Card>
  );
}
