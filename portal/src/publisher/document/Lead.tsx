import styles from "./Document.module.css";

/** The heading of a part of the page that consists of several cards. */
export function Lead({ title, lead }: { title: string; lead: string }) {
  return (
    <header>
      <h2>{title}</h2>
      <p className={styles["small"]}>{lead}</p>
    </header>
  );
}
