import type { ReactNode } from "react";
import styles from "./Beside.module.css";

interface BesideProps {
  /** What is beside the children, below them in a narrow window. */
  content: ReactNode;
  children: ReactNode;
}

/** A long form with something beside it that stays in view. */
export function Beside({ content, children }: BesideProps) {
  return (
    <div className={styles["columns"]}>
      {children}
      <div className={styles["beside"]}>{content}</div>
    </div>
  );
}
