import type { ReactNode } from "react";
import styles from "./Narrow.module.css";

/** One column of a readable width for forms. */
export function Narrow({ children }: { children: ReactNode }) {
  return <div className={styles["narrow"]}>{children}</div>;
}
