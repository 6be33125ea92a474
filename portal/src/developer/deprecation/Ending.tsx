import { Link } from "@tanstack/react-router";
import type { Deprecation } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { VersionState } from "../../ui/State";
import { Sunset } from "../../ui/Sunset";
import styles from "./Ending.module.css";

/** Marks a subscription to a deprecated version: countdown and successor, in one line. */
export function Ending({ deprecation: { sunset, successor } }: { deprecation: Deprecation }) {
  return (
    <span className={styles["ending"]}>
      <VersionState state="deprecated" />
      {sunset && <Sunset at={sunset} />}
      {successor && (
        <Link {...paths.version(successor.id)}>{text.deprecation.successor(successor.name)}</Link>
      )}
    </span>
  );
}
