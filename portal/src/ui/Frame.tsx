import type { ReactNode } from "react";
import { fieldAttributes } from "./fault_places";
import styles from "./Frame.module.css";

interface FrameProps {
  /** Name of the group for screen readers, if it is one. */
  label?: string;
  /** JSON pointer of its value in the request. */
  pointer?: string;
  children: ReactNode;
}

/** One of several things on a card, with a border around it. */
export function Frame({ label, pointer, children }: FrameProps) {
  const group = label === undefined ? {} : { role: "group", "aria-label": label };
  return (
    <div className={styles["frame"]} {...group} {...fieldAttributes(pointer, label)}>
      {children}
    </div>
  );
}
