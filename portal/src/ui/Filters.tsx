import type { ReactNode } from "react";
import styles from "./Filters.module.css";

/** Above a list: search, filters, sort, in one line where there is room. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className={styles["filters"]} role="search">
      {children}
    </div>
  );
}
