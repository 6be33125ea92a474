// What a screen reader hears although the focus is elsewhere: new pages, results, what was saved.

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
