// Calls of a version in a time range: over time, by response, by operation, by use of the cache.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type UsageDimension, type UsageRow, usage } from "../../api/queries/usage";
import { UsageCard } from "../../charts/UsageCard";
import { type Range, ranges } from "../../charts/ranges";
import { titleOfRefusal } from "../../developer/explain/refusals";
import { paths } from "../../paths";
import { bytes, count, duration, share } from "../../text/format";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Card, Figures } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import { type Column, Table } from "../../ui/Table";
import { answeredBy } from "./answered_by";
import { cacheSums, merged } from "./cache_rate";

const words = text.publisher.version.usage;

interface VersionUsageProps {
  version: string;
  range: Range;
}

export function VersionUsage({ version, range }: VersionUsageProps) {
  const navigate = useNavigate();
  const query = useUsage({ version, range }, ["status", "refusal"]);
  const byUse = useUsage({ version, range }, ["operation", "cache"]);
  return (
    <>
      <UsageCard
        title={words.calls}
        filter={{ version }}
        range={range}
        onRange={(other) => void navigate(paths.versionUsage(version, other))}
      />
      <Grid columns="2">
        <Card title={words.answers} flush>
          <Loaded query={query}>
            {({ rows }) => <UsageTable label={words.answers} columns={ANSWERS} rows={rows} />}
          </Loaded>
        </Card>
        <Card title={words.operations} flush>
          <Loaded query={byUse}>
            {({ rows }) => (
              <UsageTable
                label={words.operations}
                columns={OPERATIONS}
                rows={merged(rows, ({ operation }) => operation?.id)}
              />
            )}
          </Loaded>
        </Card>
      </Grid>
      <CacheUses rows={byUse.data?.rows ?? []} />
    </>
  );
}

function useUsage({ version, range }: VersionUsageProps, groupBy: readonly UsageDimension[]) {
  const { seconds } = ranges[range];
  return useQuery(usage({ filter: { version }, groupBy, seconds }));
}

/** Further rows are many and have few calls. */
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
      keyOf={({ status, refusal, operation, cache }) =>
        `${status} ${refusal} ${operation?.id} ${cache}`
      }
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
    cell: (row) => (row.refusal ? titleOfRefusal(row.refusal) : answeredBy(row)),
  },
  { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
];

const OPERATIONS: readonly Column<UsageRow>[] = [
  {
    title: words.operation,
    isName: true,
    cell: ({ operation }) => (operation ? <code>{operation.name}</code> : words.noOperation),
  },
  { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
  { title: words.mean, isNumber: true, cell: (row) => duration(row.total_us_sum / row.calls) },
];

const CACHE_USES: readonly Column<UsageRow>[] = [
  { title: words.cache.use, isName: true, cell: ({ cache }) => words.cache.uses[cache ?? "none"] },
  { title: words.calls, isNumber: true, cell: ({ calls }) => count(calls) },
  { title: words.mean, isNumber: true, cell: (row) => duration(row.total_us_sum / row.calls) },
];

/** Calls by use of the cache, if any call used one. */
function CacheUses({ rows }: { rows: readonly UsageRow[] }) {
  const sums = cacheSums(rows);
  if (!sums) return null;
  return (
    <Card title={words.cache.title} flush>
      <Figures
        figures={[
          { label: words.cache.rate, value: sums.rate === null ? "–" : share(sums.rate) },
          { label: words.cache.bytes, value: bytes(sums.bytes) },
        ]}
      />
      <UsageTable
        label={words.cache.title}
        columns={CACHE_USES}
        rows={merged(rows, ({ cache }) => cache)}
      />
    </Card>
  );
}
