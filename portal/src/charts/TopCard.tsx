// The groups of calls that are first by a metric, and all others as the last row: in a card with a
// query of its own, or a table of a report.

import { useQuery } from "@tanstack/react-query";
import {
  type UsageDimension,
  type UsageFilter,
  type UsageMetric,
  type UsageReport,
  type UsageRow,
  usage,
} from "../api/queries/usage";
import { text } from "../text/text";
import { Card } from "../ui/Card";
import { Empty } from "../ui/Empty";
import { Loaded } from "../ui/Loaded";
import { type Column, Table } from "../ui/Table";
import { callsOf, metricOf } from "./metrics";
import { type Range, ranges } from "./ranges";

const words = text.charts;
const GROUPS = 10;

interface TopCardProps {
  title: string;
  filter: UsageFilter;
  range: Range;
  /** The dimensions of a group. */
  groupBy: readonly UsageDimension[];
  /** Their columns. */
  columns: readonly Column<UsageRow>[];
  /** Further columns. */
  metrics: readonly UsageMetric[];
  /** The one of `metrics` by which groups are first: the number of calls by default. */
  by?: UsageMetric;
  /** Number of groups. */
  groups?: number;
  /** Whether the columns of a group need all of its measures. */
  isWhole?: boolean;
}

export function TopCard(props: TopCardProps) {
  const { title, filter, range, groupBy, columns, metrics } = props;
  const { by = "calls", groups = GROUPS, isWhole = false } = props;
  const { seconds } = ranges[range];
  const first = { groups, by };
  const request = { filter, groupBy, first, seconds, ...(!isWhole && { metrics }) };
  const query = useQuery(usage(request));
  return (
    <Card title={title} flush>
      <Loaded query={query}>
        {(report) => (
          <TopTable title={title} report={report} columns={columns} metrics={metrics} by={by} />
        )}
      </Loaded>
    </Card>
  );
}

interface TopTableProps extends Pick<TopCardProps, "title" | "columns" | "metrics" | "by"> {
  /** A report of the first groups. */
  report: UsageReport;
}

export function TopTable({ title, report, columns, metrics, by = "calls" }: TopTableProps) {
  const [others] = report.others;
  const rows = [...report.rows, ...report.others].filter((row) => countOf(row, by) > 0);
  if (rows.length === 0) {
    return <Empty>{report.total?.calls ? words.top.noneRefused : words.top.none}</Empty>;
  }
  return (
    <Table
      label={title}
      columns={[...columns.map((column) => unlessOthers(column, others)), ...metrics.map(columnOf)]}
      rows={rows}
      keyOf={(row) => (row === others ? "others" : keyOf(row))}
    />
  );
}

/** Returns the number of calls that a list counts in a row: the refused ones if it is by these. */
const countOf = (row: UsageRow, by: UsageMetric): number =>
  by === "refused" ? callsOf(row).refused : row.calls;

/** Returns a column of names that has none for the sum of all others. */
function unlessOthers(column: Column<UsageRow>, others: UsageRow | undefined): Column<UsageRow> {
  const { value, cell = value, ...look } = column;
  const nameOfOthers = look.isName ? words.top.others : "";
  return { ...look, cell: (row) => (row === others ? nameOfOthers : cell?.(row)) };
}

const columnOf = (metric: UsageMetric): Column<UsageRow> => ({
  title: words.metrics[metric],
  isNumber: true,
  cell: (row) => metricOf(row, metric),
});

const keyOf = ({ api, version, operation, application, status, refusal }: UsageRow): string =>
  [api?.id, version?.id, operation?.id, application?.id, status, refusal].join(" ");
