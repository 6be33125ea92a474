// Calls over time: chart, totals, and the same data as a table and as CSV.

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type UsageFilter, type UsageReport, usage } from "../api/queries/usage";
import { count, dateTime, zone } from "../text/format";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Card, Figures } from "../ui/Card";
import { Loaded } from "../ui/Loaded";
import { Part } from "../ui/Part";
import { type Column, Table } from "../ui/Table";
import { saveFile } from "../ui/save_file";
import { Chart } from "./Chart";
import { callsOf, FIGURES, numbersOf, timesOf } from "./metrics";
import { type Range, ranges } from "./ranges";
import { RangeChoice } from "./RangeChoice";
import { type Step, asCsv, stepsOf } from "./steps";
import { UsageFoot } from "./UsageFoot";

interface UsageCardProps {
  title: string;
  filter: UsageFilter;
  range: Range;
  onRange: (range: Range) => void;
}

const words = text.charts;

/** Query for the points of the chart and the totals, with those of a week earlier. */
export const usageOfCard = (filter: UsageFilter, range: Range) =>
  usage({ filter, ...ranges[range], zone: zone(), metrics: FIGURES, compare: "week" });

export function UsageCard({ title, filter, range, onRange }: UsageCardProps) {
  const query = useQuery(usageOfCard(filter, range));
  return (
    <Card
      flush
      title={title}
      note={words.note(zone())}
      actions={<RangeChoice range={range} onRange={onRange} />}
    >
      <Loaded query={query}>{(report) => <Report report={report} range={range} />}</Loaded>
    </Card>
  );
}

function Report({ report, range }: { report: UsageReport; range: Range }) {
  const [isTable, setTable] = useState(false);
  const steps = useMemo(() => stepsOf(report), [report]);
  const save = () => saveFile(new Blob([asCsv(steps)]), `usage-${range}.csv`);
  return (
    <>
      {isTable ? (
        <Table
          label={words.table}
          columns={COLUMNS}
          rows={steps.filter(({ answered, refused }) => answered + refused > 0)}
          keyOf={({ at }) => String(at)}
        />
      ) : (
        <Part>
          <StepsChart steps={steps} total={report.total} />
        </Part>
      )}
      <Figures figures={numbersOf(report)} />
      <Figures figures={timesOf(report)} />
      <UsageFoot report={report}>
        <Button small onPress={() => setTable(!isTable)}>
          {isTable ? words.asChart : words.asTable}
        </Button>
        <Button small onPress={save}>
          {words.csv}
        </Button>
      </UsageFoot>
    </>
  );
}

const COLUMNS: readonly Column<Step>[] = [
  {
    title: words.time,
    cell: ({ at }) => dateTime(new Date(at * 1_000).toISOString()),
    isName: true,
  },
  { title: words.answered, value: ({ answered }) => answered, isNumber: true },
  { title: words.refused, value: ({ refused }) => refused, isNumber: true },
];

function StepsChart({ steps, total }: { steps: readonly Step[]; total: UsageReport["total"] }) {
  const { calls, refused } = callsOf(total);
  const times = useMemo(() => steps.map(({ at }) => at), [steps]);
  const series = useMemo(
    () => [
      { label: words.answered, values: steps.map(({ answered }) => answered) },
      { label: words.refused, values: steps.map(({ refused }) => refused) },
    ],
    [steps],
  );
  const label = words.chart(count(calls - refused), count(refused));
  return <Chart label={label} times={times} series={series} />;
}
