// The groups of calls that are first by a metric, and all others as the last row.

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
import { metricOf } from "./metrics";
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
  /** The metric by which groups are first: the number of calls by default. */
  by?: UsageMetric;
  /** Number of groups. */
  groups?: number;
}

export function TopCard(props: TopCardProps) {
  const { title, filter, range, groupBy, columns, metrics } = props;
  const { by = "calls", groups = GROUPS } = props;
  const { seconds } = ranges[range];
  const query = useQuery(usage({ filter, groupBy, metrics, first: { groups, by }, seconds }));
  return (
    <Card title={title} flush>
      <Loaded query={query}>
        {(report) => (
          <TopTable
            title={title}
            report={report}
            columns={[...columns, ...metrics.map(columnOf)]}
            named={columns.length}
          />
        )}
      </Loaded>
    </Card>
  );
}

interface TopTableProps {
  title: string;
  report: UsageReport;
  columns: readonly Column<UsageRow>[];
  /** Number of columns that name a group. */
  named: number;
}

function TopTable({ title, report, columns, named }: TopTableProps) {
  const [others] = report.others;
  const rows = [...report.rows, ...report.others].filter(({ calls }) => calls > 0);
  if (rows.length === 0) return <Empty>{words.top.none}</Empty>;
  return (
    <Table
      label={title}
      columns={columns.map((column, index) =>
        index < named ? unlessOthers(column, others) : column,
      )}
      rows={rows}
      keyOf={(row) => (row === others ? "others" : keyOf(row))}
    />
  );
}

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

const keyOf = ({ version, operation, application, status, refusal }: UsageRow): string =>
  [version?.id, operation?.id, application?.id, status, refusal].join(" ");
