// The frame of pages outside the shell: sign-in and errors.

import type { ReactNode } from "react";
import { Mark } from "./Mark";
import styles from "./Bare.module.css";

export function Bare({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles["bare"]}>
      <title>{`${title} · Tollgate`}</title>
      <div className={styles["brand"]}>
        <Mark />
        Tollgate
      </div>
      <div className={styles["card"]}>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
