// Calls over time: totals, chart, and the same data as a table and as CSV.

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type UsageFilter, type UsageReport, usage } from "../api/queries/usage";
import { count, dateTime, duration, share, zone } from "../text/format";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Card, CardFoot, Figures } from "../ui/Card";
import { Loaded } from "../ui/Loaded";
import { Note } from "../ui/Note";
import { Part } from "../ui/Part";
import { Table } from "../ui/Table";
import { saveFile } from "../ui/save_file";
import { Chart } from "./Chart";
import { type Range, ranges } from "./ranges";
import { RangeChoice } from "./RangeChoice";
import { asCsv, stepsOf, sumsOf } from "./steps";

interface UsageCardProps {
  title: string;
  filter: UsageFilter;
  range: Range;
  onRange: (range: Range) => void;
}

const words = text.charts;

export function UsageCard({ title, filter, range, onRange }: UsageCardProps) {
  const { seconds, step } = ranges[range];
  const query = useQuery(usage({ filter, groupBy: ["status", "refusal"], step, seconds }));
  return (
    <Card
      flush
      title={title}
      note={step === "day" ? words.noteOfDays : words.note(zone())}
      actions={<RangeChoice range={range} onRange={onRange} />}
    >
      <Loaded query={query}>{(report) => <Report report={report} range={range} />}</Loaded>
    </Card>
  );
}

function Report({ report, range }: { report: UsageReport; range: Range }) {
  const [isTable, setTable] = useState(false);
  const steps = useMemo(() => stepsOf(report, ranges[range].stepSeconds), [report, range]);
  const sums = useMemo(() => sumsOf(report.rows), [report]);
  const times = useMemo(() => steps.map(({ at }) => at), [steps]);
  const series = useMemo(
    () => [
      { label: words.answered, values: steps.map(({ answered }) => answered) },
      { label: words.refused, values: steps.map(({ refused }) => refused) },
    ],
    [steps],
  );
  const busy = steps.filter((step) => step.answered + step.refused > 0);
  return (
    <>
      {report.losses.map((loss) => (
        <Note key={loss.from} tone="warning">
          {words.lost(dateTime(loss.from), dateTime(loss.to), loss.reason)}
        </Note>
      ))}
      {isTable ? (
        <Table
          label={words.table}
          columns={[
            {
              title: words.time,
              cell: ({ at }) => dateTime(new Date(at * 1_000).toISOString()),
              isName: true,
            },
            { title: words.answered, cell: ({ answered }) => count(answered), isNumber: true },
            { title: words.refused, cell: ({ refused }) => count(refused), isNumber: true },
          ]}
          rows={busy}
          keyOf={({ at }) => String(at)}
        />
      ) : (
        <Part>
          <Chart
            label={words.chart(count(sums.answered), count(sums.refused))}
            times={times}
            series={series}
          />
        </Part>
      )}
      <Figures
        figures={[
          { label: words.answered, value: count(sums.answered) },
          {
            label: words.refused,
            value: count(sums.refused),
            beside: sums.calls > 0 ? share(sums.refused / sums.calls) : undefined,
          },
          {
            label: words.mean,
            value: sums.calls > 0 ? duration(sums.meanUs) : "–",
            beside: sums.calls > 0 ? words.slowest(duration(sums.slowestUs)) : undefined,
          },
        ]}
      />
      <Choices
        isTable={isTable}
        onTable={setTable}
        onCsv={() => saveFile(new Blob([asCsv(steps)]), `usage-${range}.csv`)}
      />
    </>
  );
}

interface ChoicesProps {
  isTable: boolean;
  onTable: (isTable: boolean) => void;
  onCsv: () => void;
}

function Choices({ isTable, onTable, onCsv }: ChoicesProps) {
  return (
    <CardFoot>
      <Button small onPress={() => onTable(!isTable)}>
        {isTable ? words.asChart : words.asTable}
      </Button>
      <Button small onPress={onCsv}>
        {words.csv}
      </Button>
    </CardFoot>
  );
}
