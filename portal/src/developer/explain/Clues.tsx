import type { ReactNode } from "react";
import styles from "./Clues.module.css";

/** Short findings, one per line. */
export function Clues({ clues }: { clues: readonly ReactNode[] }) {
  return (
    <ul className={styles["clues"]}>
      {clues.map((clue, index) => (
        <li key={index}>{clue}</li>
      ))}
    </ul>
  );
}
