import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { subscriptionsOf } from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";
import { Ending } from "./Ending";

/** The deprecated versions that an application is subscribed to. */
export function EndingSoon({ application }: { application: string }) {
  const { data } = useInfiniteQuery(subscriptionsOf(application).pages);
  const ending = data?.items.filter(({ deprecation }) => deprecation) ?? [];
  if (ending.length === 0) return null;
  return (
    <Note tone="warning">
      <p>{text.deprecation.mine}</p>
      <ul aria-label={text.deprecation.mine}>
        {ending.map(({ id, version, api_name, version_name, deprecation }) => (
          <li key={id}>
            <Link {...paths.version(version)}>{`${api_name} ${version_name}`}</Link>
            {deprecation && <Ending deprecation={deprecation} />}
          </li>
        ))}
      </ul>
    </Note>
  );
}
