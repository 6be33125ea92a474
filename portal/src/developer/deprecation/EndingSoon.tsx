import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { subscriptionsOf } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";
import { MovingOn } from "../moving/MovingOn";

/** The deprecated versions that an application is subscribed to. */
export function EndingSoon({ application }: { application: string }) {
  const { data } = useInfiniteQuery(subscriptionsOf(application).pages);
  const ending = data?.items.filter(({ deprecation }) => deprecation) ?? [];
  if (ending.length === 0) return null;
  return (
    <Note tone="warning">
      <p>{text.deprecation.mine}</p>
      <ul aria-label={text.deprecation.mine}>
        {ending.map((subscription) => (
          <li key={subscription.id}>
            <Link {...paths.version(subscription.version)}>
              {`${subscription.api_name} ${subscription.version_name}`}
            </Link>
            <MovingOn subscription={subscription} all={data?.items ?? []} />
          </li>
        ))}
      </ul>
    </Note>
  );
}
