import type { ReactNode } from "react";
import type { Deprecation } from "../../api/queries/catalogue";
import { VersionState } from "../../ui/State";
import { Sunset } from "../../ui/Sunset";
import styles from "./Ending.module.css";

interface EndingProps {
  deprecation: Deprecation;
  /** The way to its successor; absent if it has none. */
  children: ReactNode;
}

/** Marks a subscription to a deprecated version: countdown and successor, in one line. */
export function Ending({ deprecation: { sunset }, children }: EndingProps) {
  return (
    <span className={styles["ending"]}>
      <VersionState state="deprecated" />
      {sunset && <Sunset at={sunset} />}
      {children}
    </span>
  );
}
