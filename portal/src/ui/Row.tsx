import type { ReactNode } from "react";
import styles from "./Row.module.css";

/** Small elements side by side, at the end of a table row. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={styles["row"]}>{children}</div>;
}
