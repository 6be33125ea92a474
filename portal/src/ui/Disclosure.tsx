import type { ReactNode } from "react";
import styles from "./Disclosure.module.css";

interface DisclosureProps {
  title: string;
  /** Whether it is initially open. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Rarely needed content, shown on request. */
export function Disclosure({ title, isOpen, children }: DisclosureProps) {
  return (
    <details className={styles["disclosure"]} open={isOpen}>
      <summary>{title}</summary>
      <div className={styles["content"]}>{children}</div>
    </details>
  );
}
