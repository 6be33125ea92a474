// Calls of an application in a time range: over time, by version, and by API, status and reason.

import { Link } from "@tanstack/react-router";
import type { UsageRow } from "../../api/queries/usage";
import { CallsCard } from "../../charts/CallsCard";
import { TopCard } from "../../charts/TopCard";
import { UsageCard } from "../../charts/UsageCard";
import type { Range } from "../../charts/ranges";
import { paths } from "../../paths";
import { text } from "../../text/text";
import type { Column } from "../../ui/Table";
import { answerColumns } from "./answer_columns";

const words = text.developer.usage;
const { top, single } = text.charts;
/** One group for each status and reason of a version. */
const ANSWERS = 50;

interface ApplicationUsageProps {
  application: string;
  range: Range;
  onRange: (range: Range) => void;
}

export function ApplicationUsage({ application, range, onRange }: ApplicationUsageProps) {
  const shown = { filter: { application }, range };
  return (
    <>
      <UsageCard title={words.calls} {...shown} onRange={onRange} />
      <TopCard
        title={top.versions}
        {...shown}
        groupBy={["api", "version"]}
        columns={VERSION}
        metrics={["calls", "error_rate", "avg"]}
      />
      <TopCard
        title={words.table}
        {...shown}
        groupBy={["api", "version", "status", "refusal"]}
        columns={answerColumns(application)}
        metrics={["calls", "avg", "bytes_out"]}
        groups={ANSWERS}
      />
      <CallsCard title={single.latest} filter={{ application }} />
    </>
  );
}

/** Names a version by its API; links to it while it exists. */
function NameOfVersion({ row: { api, version } }: { row: UsageRow }) {
  if (!version) return top.unknown;
  if (version.name == null) return `${api?.name ?? ""} ${top.deleted}`;
  return <Link {...paths.version(version.id)}>{`${api?.name ?? ""} ${version.name}`}</Link>;
}

const VERSION: readonly Column<UsageRow>[] = [
  { title: top.version, isName: true, cell: (row) => <NameOfVersion row={row} /> },
];
