// What is left of limits: a bar for each, by what they belong to.

import { useQuery } from "@tanstack/react-query";
import { type Quota, type QuotasOf, quotas } from "../api/queries/quotas";
import { bytes, count, dateTime, relative } from "../text/format";
import { limitInWords } from "../text/limit";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Loaded } from "../ui/Loaded";
import { useNow } from "../ui/Time";
import styles from "./QuotasCard.module.css";

const words = text.charts.left;

/** The share of a limit from which on it is nearly used up. */
const NEARLY = 0.8;

interface QuotasCardProps {
  of: QuotasOf;
}

export function QuotasCard({ of }: QuotasCardProps) {
  const query = useQuery(quotas(of));
  return (
    <Card title={words.title}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? <p>{words.none}</p> : <Groups groups={groupsOf(items)} />
        }
      </Loaded>
    </Card>
  );
}

interface Group {
  name: string;
  items: Quota[];
}

/** The limits by what they belong to, in the order of the API. */
function groupsOf(items: readonly Quota[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const quota of items) {
    const { of, version, operation, plan, environment } = quota;
    const key = [of, version?.id, operation?.id, plan?.id, environment].join(" ");
    const group = groups.get(key) ?? { name: nameOf(quota), items: [] };
    group.items.push(quota);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Names what a limit belongs to. */
function nameOf({ of, api, version, operation, plan, environment }: Quota): string {
  const ofVersion = `${api?.name ?? ""} ${version?.name ?? ""}`.trim();
  switch (of) {
    case "plan":
      return words.underPlan(ofVersion, plan?.name ?? "");
    case "application":
      return words.application;
    case "operation":
      return operation?.name ?? words.operation;
    case "upstream":
      return environment === "sandbox" ? words.sandbox : words.upstream;
    case "version":
      return ofVersion;
  }
}

function Groups({ groups }: { groups: readonly Group[] }) {
  return (
    <div className={styles["groups"]}>
      {groups.map(({ name, items }) => (
        <section key={name}>
          <h3>{name}</h3>
          <ul className={styles["limits"]}>
            {items.map((quota) => (
              <li key={`${quota.of} ${quota.index}`}>
                <Left quota={quota} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Left({ quota }: { quota: Quota }) {
  const limit = limitInWords(quota.limit, quota.of);
  const now = useNow();
  if (!("used" in quota)) {
    return (
      <>
        <p>{limit}</p>
        <p className={styles["detail"]}>
          {quota.counters == null ? words.apart : words.counters(count(quota.counters))}
        </p>
      </>
    );
  }
  const { used, amount, left, resets_at: resets } = quota;
  const amountOf = quota.limit.metric?.startsWith("bytes") ? bytes : count;
  const share = Math.min(used / amount, 1);
  const { on_exceeding: exceeding, soft } = quota.limit;
  const refuses = exceeding !== "observe" && !soft;
  const tone = left === 0 && refuses ? "full" : share >= NEARLY ? "nearly" : "some";
  const none = refuses ? words.usedUp : words.goesOn;
  const rest = left === 0 ? none : words.left(amountOf(left));
  return (
    <>
      <p className={styles["line"]}>
        <span>{limit}</span>
        <span className={styles["used"]}>{words.of(amountOf(used), amountOf(amount))}</span>
      </p>
      <div
        className={styles["bar"]}
        role="meter"
        aria-label={limit}
        aria-valuemin={0}
        aria-valuemax={amount}
        aria-valuenow={Math.min(used, amount)}
        aria-valuetext={words.of(amountOf(used), amountOf(amount))}
      >
        <div className={styles[tone]} style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p className={styles["detail"]}>
        {resets == null ? (
          rest
        ) : (
          <>
            {`${rest} · `}
            <time dateTime={resets}>{words.resets(relative(resets, now), dateTime(resets))}</time>
          </>
        )}
      </p>
    </>
  );
}
