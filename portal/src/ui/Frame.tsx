import type { ReactNode } from "react";
import styles from "./Frame.module.css";

interface FrameProps {
  /** Name of the group for screen readers, if it is one. */
  label?: string;
  children: ReactNode;
}

/** One of several things on a card, with a border around it. */
export function Frame({ label, children }: FrameProps) {
  const group = label === undefined ? {} : { role: "group", "aria-label": label };
  return (
    <div className={styles["frame"]} {...group}>
      {children}
    </div>
  );
}
