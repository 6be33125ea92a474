// The calls of an application in a range: figures, then a table by API, status and cause.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type UsageReport, type UsageRow, usage } from "../../api/queries/usage";
import { type UsageRange, paths } from "../../paths";
import { bytes, count, dateTime, duration, share } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { ButtonLink } from "../../ui/Button";
import { Card, Figures } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Ranges } from "../../ui/Ranges";
import { type Column, Table } from "../../ui/Table";
import { useNow } from "../../ui/Time";
import { titleOfRefusal } from "../explain/refusals";
import { sumOf } from "./sums";

const words = text.developer.usage;

const HOURS: Record<UsageRange, number> = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 };
const MINUTE_MS = 60_000;

interface ApplicationUsageProps {
  application: string;
  range: UsageRange;
}

export function ApplicationUsage({ application, range }: ApplicationUsageProps) {
  // To the minute, as figures are: the answer of a minute is asked once.
  const to = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const question = {
    application,
    from: new Date(to - HOURS[range] * 60 * MINUTE_MS).toISOString(),
    to: new Date(to + MINUTE_MS).toISOString(),
    group_by: "api,version,status,refusal",
  };
  const query = useQuery({ ...usage(question), placeholderData: keepPreviousData });
  return (
    <>
      <Ranges
        label={words.range}
        present={range}
        ranges={words.ranges}
        linkTo={(other) => paths.applicationUsage(application, { range: other })}
      />
      <Loaded query={query}>
        {(report) => (
          <>
            <Losses report={report} />
            <Card flush>
              <UsageFigures rows={report.rows} />
            </Card>
            <Card title={words.table} flush>
              <UsageTable application={application} rows={report.rows} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}

function UsageFigures({ rows }: { rows: readonly UsageRow[] }) {
  const { calls, refused, failed, totalUs } = sumOf(rows);
  const part = (some: number) => (calls > 0 ? { beside: share(some / calls) } : {});
  return (
    <Figures
      figures={[
        { label: words.calls, value: count(calls) },
        { label: words.refused, value: count(refused), ...part(refused) },
        { label: words.failed, value: count(failed), ...part(failed) },
        { label: words.mean, value: calls > 0 ? duration(totalUs / calls) : "–" },
      ]}
    />
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
          <ButtonLink {...paths.explain({ code: refusal, application })} look="quiet" small>
            {titleOfRefusal(refusal)}
          </ButtonLink>
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

function Losses({ report }: { report: UsageReport }) {
  if (report.losses.length === 0) return null;
  return (
    <Note tone="warning">
      <p>{words.losses}</p>
      <ul>
        {report.losses.map(({ from, to, reason }) => (
          <li key={`${from} ${reason}`}>
            {words.loss(dateTime(from), dateTime(to), words.reasons[reason] ?? reason)}
          </li>
        ))}
      </ul>
    </Note>
  );
}
