// A bar above or between cards: a message, with an action if one is needed.

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
