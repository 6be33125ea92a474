import styles from "./Mark.module.css";

/** The mark: a raised bar. */
export function Mark() {
  return (
    <svg className={styles["mark"]} viewBox="0 0 22 22" aria-hidden="true">
      <rect width="22" height="22" rx="5" />
      <path d="M5 13.6 17 7.4" />
    </svg>
  );
}
