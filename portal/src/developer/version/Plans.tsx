import type { CatalogueEntry, OfferedPlan } from "../../api/queries/catalogue";
import { termsInWords } from "../../text/limit";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { Sentences } from "../../ui/Sentences";
import styles from "./Plans.module.css";

const words = text.developer.version;

/** The plans side by side, with their limits. */
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
  const title = planTitle(plan);
  return (
    <li className={styles["plan"]}>
      <h3>{title}</h3>
      {/* Programs select a plan by its name. */}
      {title.toLowerCase() !== plan.name.toLowerCase() && <code>{plan.name}</code>}
      <Sentences of={termsInWords(plan)} />
      {plan.description && <p className={styles["title"]}>{plan.description}</p>}
      {plan.needs_approval && <p className={styles["title"]}>{words.byApproval}</p>}
    </li>
  );
}
