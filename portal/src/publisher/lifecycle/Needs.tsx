import { Link } from "@tanstack/react-router";
import { paths } from "../../paths";
import { text } from "../../text/text";
import styles from "./Needs.module.css";
import type { Need } from "./arrows";

const words = text.publisher.version.lifecycle.needs;

const PAGES = {
  operation: paths.versionOperations,
  upstream: paths.versionUpstream,
  plan: paths.versionPlans,
  tokens: paths.versionSecurity,
};

/** What a version lacks for a state, with links to the pages that have it. */
export function Needs({ version, needs }: { version: string; needs: readonly Need[] }) {
  return (
    <ul className={styles["needs"]}>
      {needs.map((need) => (
        <li key={need}>
          <Link {...PAGES[need](version)}>{words[need]}</Link>
        </li>
      ))}
    </ul>
  );
}
