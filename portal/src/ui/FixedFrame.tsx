import type { ReactNode } from "react";
import styles from "./FixedFrame.module.css";

interface FixedFrameProps {
  label: string;
  /** Whether its content is still arriving or about to change. */
  isBusy: boolean;
  /** Whether it has room for a few lines only. */
  low?: boolean;
  children: ReactNode;
}

/** A frame of fixed height that scrolls: what arrives in it moves nothing around it. */
export function FixedFrame({ label, isBusy, low = false, children }: FixedFrameProps) {
  return (
    <div
      className={`${styles["frame"]} ${low ? styles["low"] : ""}`}
      role="region"
      aria-label={label}
      aria-busy={isBusy}
      tabIndex={0}
    >
      {children}
    </div>
  );
}
