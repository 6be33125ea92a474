// Calls of an application in a time range: over time, and as a table by API, status and reason.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type UsageRow, usage } from "../../api/queries/usage";
import { UsageCard } from "../../charts/UsageCard";
import { type Range, ranges } from "../../charts/ranges";
import { paths } from "../../paths";
import { bytes, count, duration } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { type Column, Table } from "../../ui/Table";
import { titleOfRefusal } from "../explain/refusals";

const words = text.developer.usage;

interface ApplicationUsageProps {
  application: string;
  range: Range;
  onRange: (range: Range) => void;
}

export function ApplicationUsage({ application, range, onRange }: ApplicationUsageProps) {
  const filter = { application };
  const { seconds } = ranges[range];
  const groupBy = ["api", "version", "status", "refusal"] as const;
  const query = useQuery(usage({ filter, groupBy, seconds }));
  return (
    <>
      <UsageCard title={words.calls} filter={filter} range={range} onRange={onRange} />
      <Card title={words.table} flush>
        <Loaded query={query}>
          {(report) => <UsageTable application={application} rows={report.rows} />}
        </Loaded>
      </Card>
    </>
  );
}

function UsageTable({ application, rows }: { application: string; rows: readonly UsageRow[] }) {
  const shown = rows.filter(({ calls }) => calls > 0);
  if (shown.length === 0) return <Empty>{words.empty}</Empty>;
  const columns: Column<UsageRow>[] = [
    {
      title: words.api,
      isName: true,
      cell: ({ api, version }) =>
        api ? `${api.name ?? words.deleted} ${version?.name ?? ""}` : words.unknownApi,
    },
    { title: words.status, cell: ({ status }) => <StatusOf status={status ?? 0} /> },
    {
      title: words.why,
      cell: ({ refusal }) =>
        refusal && (
          <Link {...paths.explain({ code: refusal, application })}>{titleOfRefusal(refusal)}</Link>
        ),
    },
    { title: words.number, isNumber: true, cell: ({ calls }) => count(calls) },
    {
      title: words.meanTime,
      isNumber: true,
      cell: ({ calls, total_us_sum }) => duration(total_us_sum / calls),
    },
    { title: words.bytesOut, isNumber: true, cell: ({ bytes_out }) => bytes(bytes_out) },
  ];
  return (
    <Table
      label={words.table}
      columns={columns}
      rows={shown}
      keyOf={({ version, status, refusal }) => `${version?.id} ${status} ${refusal}`}
    />
  );
}

function StatusOf({ status }: { status: number }) {
  if (status === 0) return <Badge tone="quiet">{words.left}</Badge>;
  return <Badge tone={statusTone(status)}>{status}</Badge>;
}
