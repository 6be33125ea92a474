// The calls of a version in a range of time: figures, and the table behind them.

import { useQuery } from "@tanstack/react-query";
import { type Range, RANGES, type UsageRow, usageOfVersion } from "../../api/queries/version_usage";
import { paths } from "../../paths";
import { count, duration, share, zone } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { ButtonLink } from "../../ui/Button";
import { Card, Figures } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { Grid } from "../../ui/Page";
import { type Column, Table } from "../../ui/Table";

const words = text.publisher.version.usage;

interface VersionUsageProps {
  version: string;
  range: Range;
}

export function VersionUsage({ version, range }: VersionUsageProps) {
  const answers = useQuery(usageOfVersion(version, range, "status,refusal"));
  return (
    <>
      <Card
        title={words.title}
        note={words.zone(zone())}
        actions={<Ranges version={version} present={range} />}
        flush
      >
        <Loaded query={answers}>
          {({ rows, losses }) => (
            <>
              <Totals rows={rows} />
              {losses.length > 0 && <Note tone="warning">{words.losses(losses.length)}</Note>}
            </>
          )}
        </Loaded>
      </Card>
      <Loaded query={answers}>
        {({ rows }) =>
          rows.length > 0 && (
            <Grid columns="2">
              <Card title={words.answers} flush>
                <Table
                  label={words.answers}
                  columns={ANSWERS}
                  rows={byCalls(rows)}
                  keyOf={(row) => `${row.status} ${row.refusal}`}
                />
              </Card>
              <Operations version={version} range={range} />
            </Grid>
          )
        }
      </Loaded>
    </>
  );
}

function Ranges({ version, present }: { version: string; present: Range }) {
  return RANGES.map((range) => (
    <ButtonLink
      key={range}
      {...paths.versionUsage(version, range)}
      small
      aria-current={range === present ? "true" : undefined}
    >
      {words.ranges[range]}
    </ButtonLink>
  ));
}

function Totals({ rows }: { rows: readonly UsageRow[] }) {
  if (rows.length === 0) return <Empty>{words.none}</Empty>;
  const sum = (of: (row: UsageRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  const calls = sum((row) => row.calls);
  const refused = sum((row) => (row.refusal ? row.calls : 0));
  const errors = sum((row) => ((row.status ?? 0) >= 500 ? row.calls : 0));
  return (
    <Figures
      figures={[
        { label: words.calls, value: count(calls) },
        { label: words.refused, value: count(refused), beside: share(refused / calls) },
        { label: words.errors, value: count(errors), beside: share(errors / calls) },
        { label: words.mean, value: duration(sum((row) => row.total_us_sum) / calls) },
      ]}
    />
  );
}

const byCalls = (rows: readonly UsageRow[]) => rows.toSorted((a, b) => b.calls - a.calls);

const ANSWERS: readonly Column<UsageRow>[] = [
  {
    title: words.status,
    isName: true,
    cell: ({ status }) => (status ? <Badge tone={statusTone(status)}>{status}</Badge> : words.left),
  },
  { title: words.why, cell: ({ refusal }) => (refusal ? <code>{refusal}</code> : words.answered) },
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

/** Operations beyond are many, and rarely called. */
const OPERATIONS_SHOWN = 20;

function Operations({ version, range }: VersionUsageProps) {
  const query = useQuery(usageOfVersion(version, range, "operation"));
  return (
    <Card title={words.operations} flush>
      <Loaded query={query}>
        {({ rows }) => (
          <Table
            label={words.operations}
            columns={OPERATIONS}
            rows={byCalls(rows).slice(0, OPERATIONS_SHOWN)}
            keyOf={({ operation }) => operation?.id ?? ""}
          />
        )}
      </Loaded>
    </Card>
  );
}
