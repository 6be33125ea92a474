// The calls of a version in a range of time: figures, and the tables behind them.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type UsageRow, usage } from "../../api/queries/usage";
import { sumOf } from "../../developer/applications/sums";
import { titleOfRefusal } from "../../developer/explain/refusals";
import { type UsageRange, paths } from "../../paths";
import { count, duration, share } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Card, Figures } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";
import { Ranges } from "../../ui/Ranges";
import { type Column, Table } from "../../ui/Table";
import { useNow } from "../../ui/Time";

const words = text.publisher.version.usage;

const HOURS: Record<UsageRange, number> = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 };
const MINUTE_MS = 60_000;

interface VersionUsageProps {
  version: string;
  range: UsageRange;
}

/** Asks for the figures of a version in a range that ends with this minute. */
function useUsage({ version, range }: VersionUsageProps, groupBy: string) {
  const to = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const question = {
    version,
    from: new Date(to - HOURS[range] * 60 * MINUTE_MS).toISOString(),
    to: new Date(to + MINUTE_MS).toISOString(),
    group_by: groupBy,
  };
  return useQuery({ ...usage(question), placeholderData: keepPreviousData });
}

export function VersionUsage({ version, range }: VersionUsageProps) {
  const query = useUsage({ version, range }, "status,refusal");
  return (
    <>
      <Ranges
        label={words.range}
        present={range}
        ranges={words.ranges}
        linkTo={(other) => paths.versionUsage(version, other)}
      />
      <Loaded query={query}>
        {({ rows, losses }) => (
          <>
            {losses.length > 0 && <Note tone="warning">{words.losses(losses.length)}</Note>}
            <Card flush>
              <UsageFigures rows={rows} />
            </Card>
            <Grid columns="2">
              <Card title={words.answers} flush>
                <UsageTable label={words.answers} columns={ANSWERS} rows={rows} />
              </Card>
              <Operations version={version} range={range} />
            </Grid>
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

/** Rows beyond are many, and of few calls. */
const ROWS_SHOWN = 20;

interface UsageTableProps {
  label: string;
  columns: readonly Column<UsageRow>[];
  rows: readonly UsageRow[];
}

/** The rows with the most calls. */
function UsageTable({ label, columns, rows }: UsageTableProps) {
  const shown = rows.filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls);
  if (shown.length === 0) return <Empty>{words.none}</Empty>;
  return (
    <Table
      label={label}
      columns={columns}
      rows={shown.slice(0, ROWS_SHOWN)}
      keyOf={({ status, refusal, operation }) => `${status} ${refusal} ${operation?.id}`}
    />
  );
}

const ANSWERS: readonly Column<UsageRow>[] = [
  {
    title: words.status,
    isName: true,
    cell: ({ status }) => (status ? <Badge tone={statusTone(status)}>{status}</Badge> : words.left),
  },
  {
    title: words.why,
    cell: ({ refusal }) => (refusal ? titleOfRefusal(refusal) : words.answered),
  },
  { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
];

const OPERATIONS: readonly Column<UsageRow>[] = [
  {
    title: words.operation,
    isName: true,
    cell: ({ operation }) => <code>{operation?.name ?? words.noOperation}</code>,
  },
  { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
  { title: words.mean, isNumber: true, cell: (row) => duration(row.total_us_sum / row.calls) },
];

function Operations(props: VersionUsageProps) {
  const query = useUsage(props, "operation");
  return (
    <Card title={words.operations} flush>
      <Loaded query={query}>
        {({ rows }) => <UsageTable label={words.operations} columns={OPERATIONS} rows={rows} />}
      </Loaded>
    </Card>
  );
}
