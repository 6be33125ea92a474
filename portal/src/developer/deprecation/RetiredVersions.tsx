import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { retiredVersions } from "../../api/queries/applications";
import { paths } from "../../paths";
import { longDay } from "../../text/format";
import { text } from "../../text/text";
import { Note } from "../../ui/Note";

const words = text.deprecation;

/** The retired versions that an application was subscribed to: text and successor of each. */
export function RetiredVersions({ application }: { application: string }) {
  const { data: retired = [] } = useQuery(retiredVersions(application));
  if (retired.length === 0) return null;
  return (
    <Note tone="warning">
      <p>{words.retired}</p>
      <ul aria-label={words.retired}>
        {retired.map(({ version, api_name, version_name, retired_at, deprecation }) => (
          <li key={version}>
            <b>{`${api_name} ${version_name}`}</b> {words.retiredOn(longDay(retired_at))}{" "}
            {deprecation?.successor ? (
              <Link {...paths.version(deprecation.successor.id)}>
                {text.moving.see(deprecation.successor.name)}
              </Link>
            ) : (
              words.noSuccessor
            )}
            {deprecation?.text && <p>{deprecation.text}</p>}
          </li>
        ))}
      </ul>
    </Note>
  );
}
