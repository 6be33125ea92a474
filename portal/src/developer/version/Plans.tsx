import type { CatalogueEntry, OfferedPlan } from "../../api/queries/catalogue";
import { limitInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import styles from "./Plans.module.css";

const words = text.developer.version;

/** The plans side by side, with their limits in words. */
export function Plans({ entry }: { entry: CatalogueEntry }) {
  if (entry.plans.length === 0) {
    return (
      <Card title={words.plans}>
        <p>{words.noPlans}</p>
      </Card>
    );
  }
  return (
    <Card title={words.plans} note={words.plansNote}>
      <ul className={styles["plans"]}>
        {entry.plans.map((plan) => (
          <Plan key={plan.id} plan={plan} />
        ))}
      </ul>
    </Card>
  );
}

function Plan({ plan }: { plan: OfferedPlan }) {
  // Callers choose it by its name.
  const isSaid = plan.title.toLowerCase() === plan.name.toLowerCase();
  return (
    <li className={styles["plan"]}>
      <h3>{plan.name}</h3>
      {plan.title && !isSaid && <p className={styles["title"]}>{plan.title}</p>}
      <ul className={styles["limits"]}>
        {plan.limits.map((limit, index) => (
          <li key={index}>{limitInWords(limit)}</li>
        ))}
        {plan.limits.length === 0 && <li>{text.nouns.unlimited}</li>}
      </ul>
      {plan.description && <p className={styles["title"]}>{plan.description}</p>}
      {plan.needs_approval && <p className={styles["title"]}>{words.byApproval}</p>}
    </li>
  );
}
