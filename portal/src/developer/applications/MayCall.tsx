import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { subscriptionsOf } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Loaded } from "../../ui/Loaded";
import { SubscriptionStatus } from "../../ui/State";
import styles from "./MayCall.module.css";

/** As many as fit beside the totals; the tab lists all. */
const SHOWN_MAX = 5;

const words = text.developer.application;

/** The APIs that an application can call, with their plans. */
export function MayCall({ application }: { application: string }) {
  const query = useInfiniteQuery(subscriptionsOf(application).pages);
  return (
    <Card title={words.mayCall}>
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            {items.length === 0 && <p>{words.mayCallNothing}</p>}
            <ul className={styles["list"]}>
              {items.slice(0, SHOWN_MAX).map((it) => (
                <li key={it.id} className={styles["row"]}>
                  <span>
                    <Link {...paths.version(it.version)}>
                      {it.api_name} {it.version_name}
                    </Link>
                    <span className={styles["plan"]}>{planOf(it)}</span>
                  </span>
                  <SubscriptionStatus status={it.status} />
                </li>
              ))}
            </ul>
            {total > SHOWN_MAX && (
              <Link {...paths.applicationSubscriptions(application)}>{words.seeAll}</Link>
            )}
            {items.length === 0 && (
              <div>
                <ButtonLink {...paths.catalogue()} small>
                  {text.developer.subscriptions.toCatalogue}
                </ButtonLink>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
