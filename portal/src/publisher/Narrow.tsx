import type { ReactNode } from "react";
import styles from "./Narrow.module.css";

interface NarrowProps {
  /** Whether its forms have fields beside each other. */
  isWide?: boolean;
  children: ReactNode;
}

/** One column of a readable width for forms. */
export function Narrow({ isWide, children }: NarrowProps) {
  return (
    <div className={styles["narrow"]} data-wide={isWide}>
      {children}
    </div>
  );
}
