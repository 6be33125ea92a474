// A step that replaces the one before it: its start gets the focus, because the button that led to
// it is gone.

import { type ReactNode, useEffect, useRef } from "react";
import styles from "./Document.module.css";

export function StepStart({ children }: { children: ReactNode }) {
  const start = useRef<HTMLDivElement>(null);
  useEffect(() => start.current?.focus(), []);
  return (
    <div ref={start} tabIndex={-1} className={styles["start"]}>
      {children}
    </div>
  );
}
