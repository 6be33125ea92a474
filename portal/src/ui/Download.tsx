import styles from "./Button.module.css";

interface DownloadProps {
  href: string;
  /** File name. */
  name: string;
  children: string;
  isSmall?: boolean;
}

/** A link to a file that looks like a button, small by default. */
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
