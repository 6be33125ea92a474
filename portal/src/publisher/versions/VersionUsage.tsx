// Calls of a version in a time range: over time, by operation, application and response, by use of
// the cache.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type UsageReport, type UsageRow, usage } from "../../api/queries/usage";
import { TopCard } from "../../charts/TopCard";
import { UsageCard, usageOfCard } from "../../charts/UsageCard";
import { metricOf } from "../../charts/metrics";
import { type Range, ranges } from "../../charts/ranges";
import { titleOfRefusal } from "../../developer/explain/refusals";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Badge, statusTone } from "../../ui/Badge";
import { Card, Figures } from "../../ui/Card";
import { Grid } from "../../ui/Page";
import { type Column, Table } from "../../ui/Table";
import { TopApplications } from "../TopApplications";
import { answeredBy } from "./answered_by";

const words = text.publisher.version.usage;
const { top, metrics } = text.charts;

interface VersionUsageProps {
  version: string;
  range: Range;
}

export function VersionUsage({ version, range }: VersionUsageProps) {
  const navigate = useNavigate();
  const shown = { filter: { version }, range };
  return (
    <>
      <UsageCard
        title={words.calls}
        {...shown}
        onRange={(other) => void navigate(paths.versionUsage(version, other))}
      />
      <TopCard
        title={top.slowestOperations}
        {...shown}
        groupBy={["operation"]}
        columns={OPERATION}
        metrics={["calls", "error_rate", "p95", "upstream_p95"]}
        by="p95"
      />
      <Grid columns="2">
        <TopApplications {...shown} />
        <TopCard
          title={words.answers}
          {...shown}
          groupBy={["status", "refusal"]}
          columns={ANSWER}
          metrics={["calls"]}
          groups={20}
          isWhole
        />
      </Grid>
      <CacheUses {...shown} />
    </>
  );
}

const OPERATION: readonly Column<UsageRow>[] = [
  {
    title: top.operation,
    isName: true,
    cell: ({ operation }) =>
      operation ? <code>{operation.name ?? top.deleted}</code> : top.noOperation,
  },
];

const ANSWER: readonly Column<UsageRow>[] = [
  {
    title: words.status,
    isName: true,
    cell: ({ status }) => (status ? <Badge tone={statusTone(status)}>{status}</Badge> : words.left),
  },
  {
    title: words.why,
    cell: (row) => (row.refusal ? titleOfRefusal(row.refusal) : answeredBy(row)),
  },
];

const CACHE_USES: readonly Column<UsageRow>[] = [
  { title: words.cache.use, isName: true, cell: ({ cache }) => words.cache.uses[cache ?? "none"] },
  { title: metrics.calls, isNumber: true, value: ({ calls }) => calls },
  { title: metrics.avg, isNumber: true, cell: (row) => metricOf(row, "avg") },
];

interface CacheUsesProps {
  filter: { version: string };
  range: Range;
}

const CACHE = ["avg", "cache_rate", "bytes_from_cache"] as const;

/** Calls by use of the cache, if it was asked for any response. */
function CacheUses({ filter, range }: CacheUsesProps) {
  const { seconds } = ranges[range];
  const all = useQuery(usageOfCard(filter, range)).data?.total;
  const enabled = all?.metrics?.["cache_rate"] != null;
  const request = usage({ filter, groupBy: ["cache"], metrics: CACHE, seconds });
  const { data } = useQuery({ ...request, enabled });
  return enabled && data ? <CacheCard report={data} /> : null;
}

function CacheCard({ report: { rows, total } }: { report: UsageReport }) {
  return (
    <Card title={words.cache.title} flush>
      <Figures
        figures={[
          { label: words.cache.rate, value: metricOf(total, "cache_rate") },
          { label: words.cache.bytes, value: metricOf(total, "bytes_from_cache") },
        ]}
      />
      <Table
        label={words.cache.title}
        columns={CACHE_USES}
        rows={rows.filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls)}
        keyOf={({ cache }) => cache ?? "none"}
      />
    </Card>
  );
}
