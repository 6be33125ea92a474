import type { ReactNode } from "react";
import styles from "./Disclosure.module.css";

interface DisclosureProps {
  title: string;
  /** Whether it is open at first. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Something that few need, shown when asked for. */
export function Disclosure({ title, isOpen, children }: DisclosureProps) {
  return (
    <details className={styles["disclosure"]} open={isOpen}>
      <summary>{title}</summary>
      <div className={styles["content"]}>{children}</div>
    </details>
  );
}
