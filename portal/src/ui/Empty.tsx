import type { ReactNode } from "react";
import styles from "./Empty.module.css";

/** An empty list: its purpose, and one button. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <p>{children}</p>
      {action}
    </div>
  );
}
