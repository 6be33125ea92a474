import { Link } from "@tanstack/react-router";
import type { VersionOverview } from "../../api/queries/overview";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import styles from "./Waits.module.css";

const words = text.publisher.apis;

/** Pending work of a version. */
export function Waits({ row: { version, changes, pending_subscriptions: pending } }: WaitsProps) {
  if (changes === 0 && pending === 0) return null;
  return (
    <span className={styles["waits"]}>
      {changes > 0 && (
        <Link {...paths.ownVersion(version)}>
          <Badge tone="warning">{words.notDeployed(changes)}</Badge>
        </Link>
      )}
      {pending > 0 && (
        <Link {...paths.versionSubscriptions(version, { status: "pending" })}>
          <Badge tone="warning">{words.pending(pending)}</Badge>
        </Link>
      )}
    </span>
  );
}

interface WaitsProps {
  row: VersionOverview;
}
