import styles from "./Button.module.css";

interface DownloadProps {
  href: string;
  /** The name of the file. */
  name: string;
  children: string;
  isSmall?: boolean;
}

/** A link to a file, as a button; a small one where nothing else is said. */
export function Download({ href, name, children, isSmall = true }: DownloadProps) {
  return (
    <a
      className={`${styles["button"]} ${isSmall ? styles["small"] : ""}`}
      href={href}
      download={name}
    >
      {children}
    </a>
  );
}
