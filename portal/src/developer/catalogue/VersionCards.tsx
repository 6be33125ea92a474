import { Link } from "@tanstack/react-router";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { plainStart } from "../../text/plain";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Chip, Chips } from "../../ui/Chip";
import { VersionState } from "../../ui/State";
import styles from "./VersionCards.module.css";

const words = text.developer.catalogue;

export function VersionCards({ entries }: { entries: readonly CatalogueEntry[] }) {
  return (
    <ul className={styles["cards"]} aria-label={words.list}>
      {entries.map((entry) => (
        <li key={entry.version} className={styles["card"]}>
          <div className={styles["head"]}>
            <h2 className={styles["name"]}>
              <Link {...paths.version(entry.version)}>{entry.api_name}</Link>
            </h2>
            <VersionState state={entry.state} />
          </div>
          <code className={styles["path"]}>{entry.path}</code>
          <p className={styles["description"]}>{plainStart(entry.description)}</p>
          <Facts entry={entry} />
        </li>
      ))}
    </ul>
  );
}

function Facts({ entry }: { entry: CatalogueEntry }) {
  const plans = entry.plans.map(planTitle).join(", ");
  const applications = new Set(
    entry.mine?.subscriptions.map(({ application_name }) => application_name),
  );
  return (
    <Chips>
      <Chip>{text.nouns.kinds[entry.kind]}</Chip>
      <Chip>{plans || words.noPlans}</Chip>
      {entry.mine?.owned && <Chip isMine>{words.yours}</Chip>}
      {applications.size > 0 && (
        <Chip isMine>{words.subscribedBy([...applications].join(", "))}</Chip>
      )}
    </Chips>
  );
}
