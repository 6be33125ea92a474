import { useQuery } from "@tanstack/react-query";
import { usage } from "../../api/queries/usage";
import { currentSession } from "../../api/session";
import { errorsOf, metricOf } from "../../charts/metrics";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Card, Figures } from "../../ui/Card";

const words = text.charts;
const of = text.publisher.apis.lastDay;
const DAY_S = 86_400;

/** Calls of the last day and their error rate, of all APIs that the list may show. */
export function LastDay() {
  const seesAll = currentSession()?.roles.includes("administrator") ?? false;
  const { data } = useQuery(
    usage({
      filter: seesAll ? {} : { as: "publisher" },
      metrics: ["calls", "error_rate"],
      compare: "week",
      seconds: DAY_S,
    }),
  );
  const earlier = data?.compared?.total;
  return (
    <Card flush>
      <Figures
        figures={[
          {
            label: of.calls,
            value: data ? count(data.total?.calls ?? 0) : metricOf(null, "calls"),
            beside: earlier ? words.aWeekEarlier(metricOf(earlier, "calls")) : undefined,
          },
          { ...errorsOf(data?.total, earlier), label: of.errors },
        ]}
      />
    </Card>
  );
}
