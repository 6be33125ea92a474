// Above a list: search and filters; below it: how many there are, and the next page.

import type { ReactNode } from "react";
import { text } from "../text/text";
import styles from "./Toolbar.module.css";

export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles["toolbar"]}>{children}</div>;
}

interface PagerProps {
  shown: string;
  /** Links to the first and the next page, where there are such. */
  children: ReactNode;
}

export function Pager({ shown, children }: PagerProps) {
  return (
    <nav className={styles["pager"]} aria-label={text.ui.pager.label}>
      <span role="status">{shown}</span>
      {children}
    </nav>
  );
}
