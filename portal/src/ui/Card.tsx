import type { ReactNode } from "react";
import { fieldAttributes } from "./fault_places";
import styles from "./Card.module.css";

interface CardProps {
  title?: ReactNode;
  /** Small text below the title. */
  note?: ReactNode;
  /** Shown to the right of the title. */
  actions?: ReactNode;
  /** Whether the content, such as a table or a chart, extends to the card's edges. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, note, actions, flush, children }: CardProps) {
  return (
    <section
      className={styles["card"]}
      {...fieldAttributes(undefined, typeof title === "string" ? title : undefined)}
    >
      {(title || actions) && (
        <header className={styles["head"]}>
          <div>
            {title && <h2>{title}</h2>}
            {note && <p className={styles["note"]}>{note}</p>}
          </div>
          {actions && <div className={styles["actions"]}>{actions}</div>}
        </header>
      )}
      <div className={flush ? styles["flush"] : styles["content"]}>{children}</div>
    </section>
  );
}

/** Small buttons at the end of a card that is flush. */
export function CardFoot({ children }: { children: ReactNode }) {
  return <div className={styles["foot"]}>{children}</div>;
}

/** Numbers in one row, also on a phone. */
export function Figures({
  figures,
}: {
  figures: readonly { label: string; value: ReactNode; beside?: ReactNode }[];
}) {
  return (
    <dl className={styles["figures"]}>
      {figures.map(({ label, value, beside }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {beside !== undefined && <span className={styles["beside"]}>{beside}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Names and values, one pair per line. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
