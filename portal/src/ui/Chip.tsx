import type { ReactNode } from "react";
import styles from "./Chip.module.css";

/** A short fact about a list item. Facts about the user are highlighted. */
export function Chip({ children, isMine }: { children: ReactNode; isMine?: boolean }) {
  return <span className={`${styles["chip"]} ${isMine ? styles["mine"] : ""}`}>{children}</span>;
}

export function Chips({ children }: { children: ReactNode }) {
  return <div className={styles["chips"]}>{children}</div>;
}
