import type { ReactNode } from "react";
import styles from "./Narrow.module.css";

/** One column, as wide as forms are read well. */
export function Narrow({ children }: { children: ReactNode }) {
  return <div className={styles["narrow"]}>{children}</div>;
}
