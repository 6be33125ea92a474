import styles from "./Button.module.css";

interface DownloadProps {
  href: string;
  /** The name of the file. */
  name: string;
  children: string;
}

/** A link to a file, as a small button. */
export function Download({ href, name, children }: DownloadProps) {
  return (
    <a className={`${styles["button"]} ${styles["small"]}`} href={href} download={name}>
      {children}
    </a>
  );
}
