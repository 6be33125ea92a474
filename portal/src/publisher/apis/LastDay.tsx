// The last day of all APIs that the list may show: figures against a week earlier, and the APIs
// with most calls, by one request.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type UsageMetric, type UsageReport, type UsageRow, usage } from "../../api/queries/usage";
import { TopTable } from "../../charts/TopCard";
import { UsageFoot } from "../../charts/UsageFoot";
import { comparedOf } from "../../charts/metrics";
import { type Range, ranges } from "../../charts/ranges";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Card, Figures } from "../../ui/Card";
import { Loaded } from "../../ui/Loaded";
import { Grid } from "../../ui/Page";
import type { Column } from "../../ui/Table";
import { ofAllApis } from "./all_apis";
import styles from "./LastDay.module.css";

const { top } = text.charts;
const RANGE = "24h" satisfies Range;
const APIS = 3;
const NUMBERS: readonly UsageMetric[] = ["calls", "error_rate"];
const TIMES: readonly UsageMetric[] = ["p50", "p95", "p99"];

export function LastDay() {
  const query = useQuery(
    usage({
      filter: ofAllApis(),
      groupBy: ["api"],
      metrics: [...NUMBERS, ...TIMES],
      first: { groups: APIS, by: "calls" },
      compare: "week",
      seconds: ranges[RANGE].seconds,
    }),
  );
  return (
    <div className={styles["day"]}>
      <Loaded query={query}>{(report) => <Day report={report} />}</Loaded>
    </div>
  );
}

function Day({ report }: { report: UsageReport }) {
  const figureOf = (metric: UsageMetric) => comparedOf(report, metric);
  return (
    <Grid columns="2">
      <Card title={text.publisher.apis.lastDay} flush>
        <Figures figures={NUMBERS.map(figureOf)} />
        <Figures figures={TIMES.map(figureOf)} />
        <UsageFoot report={report} />
      </Card>
      <Card title={top.apis} flush>
        <TopTable
          title={top.apis}
          report={report}
          columns={API}
          metrics={["calls", "error_rate", "p95"]}
        />
      </Card>
    </Grid>
  );
}

const API: readonly Column<UsageRow>[] = [
  {
    title: top.api,
    isName: true,
    cell: ({ api }) => {
      if (!api) return top.unknown;
      const { id, name } = api;
      return name == null ? (
        top.deleted
      ) : (
        <Link {...paths.ownApiUsage(id, { range: RANGE })}>{name}</Link>
      );
    },
  },
];
