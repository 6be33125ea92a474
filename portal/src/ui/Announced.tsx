// Announcements for screen readers, independent of the focus: new pages, results, saved changes.

import type { ReactNode } from "react";
import styles from "./Announced.module.css";

export function Announced({ children }: { children: ReactNode }) {
  return (
    <div className={styles["hidden"]} role="status">
      {children}
    </div>
  );
}

/** Text for screen readers only. */
export function Hidden({ children }: { children: ReactNode }) {
  return <span className={styles["hidden"]}>{children}</span>;
}
