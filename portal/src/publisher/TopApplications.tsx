import type { UsageFilter, UsageRow } from "../api/queries/usage";
import { TopCard } from "../charts/TopCard";
import type { Range } from "../charts/ranges";
import { text } from "../text/text";
import type { Column } from "../ui/Table";

const words = text.charts.top;

const APPLICATION: Column<UsageRow> = {
  title: words.application,
  isName: true,
  value: ({ application }) =>
    application ? (application.name ?? words.deleted) : words.noApplication,
};

/** The applications with most calls. By application and API there are no percentiles. */
export function TopApplications({ filter, range }: { filter: UsageFilter; range: Range }) {
  return (
    <TopCard
      title={words.applications}
      filter={filter}
      range={range}
      groupBy={["application"]}
      columns={[APPLICATION]}
      metrics={["calls", "error_rate"]}
    />
  );
}
