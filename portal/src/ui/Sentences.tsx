import styles from "./Sentences.module.css";

/** Sentences without full stops, one per line. */
export function Sentences({ of }: { of: readonly string[] }) {
  return (
    <ul className={styles["sentences"]}>
      {of.map((sentence, index) => (
        <li key={index}>{sentence}</li>
      ))}
    </ul>
  );
}
