import type { ReactNode } from "react";
import styles from "./Row.module.css";

/** Small things beside each other, at the end of a table's row. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={styles["row"]}>{children}</div>;
}
