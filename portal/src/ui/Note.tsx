// A bar above or between cards: something that one should know, with what to do about it.

import type { ReactNode } from "react";
import type { Tone } from "./Badge";
import styles from "./Note.module.css";

interface NoteProps {
  tone: Exclude<Tone, "quiet">;
  children: ReactNode;
  actions?: ReactNode;
}

export function Note({ tone, children, actions }: NoteProps) {
  return (
    <div
      className={`${styles["note"]} ${styles[tone]}`}
      role={tone === "bad" ? "alert" : undefined}
    >
      <div className={styles["content"]}>{children}</div>
      {actions && <div className={styles["actions"]}>{actions}</div>}
    </div>
  );
}
