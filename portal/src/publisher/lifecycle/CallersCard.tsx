import { useQuery } from "@tanstack/react-query";
import { allSubscribers } from "../../api/queries/subscribers";
import { usage } from "../../api/queries/usage";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card, CardFoot } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { type Column, Table } from "../../ui/Table";
import { type StillCalling, callersOf } from "./callers";

const words = text.publisher.version.deprecation.callers;
const SECONDS = 7 * 86_400;
/** Maximum of the API: more than are shown, so that those beyond are counted. */
const CALLERS_MAX = 100;
/** Further ones are on the page of subscriptions. */
const SHOWN_MAX = 50;

const COLUMNS: readonly Column<StillCalling>[] = [
  { title: words.application, isName: true, value: ({ name }) => name ?? words.noApplication },
  { title: words.owner, value: ({ subscription }) => subscription?.owner_name ?? "–" },
  {
    title: words.plan,
    value: ({ subscription }) => (subscription ? planOf(subscription) : words.notSubscribed),
  },
  {
    title: words.calls,
    isNumber: true,
    value: ({ calls }) => (calls === 0 ? words.none : calls),
  },
];

/** Who still calls a deprecated version, and who is subscribed without calling it. */
export function CallersCard({ version }: { version: string }) {
  const calls = useQuery(
    usage({
      filter: { version },
      groupBy: ["application"],
      metrics: ["calls"],
      first: { groups: CALLERS_MAX, by: "calls" },
      seconds: SECONDS,
    }),
  );
  const subscriptions = useQuery(allSubscribers(version));
  return (
    <Card title={words.title} note={words.note} flush>
      <Loaded query={calls}>
        {({ rows }) => (
          <Loaded query={subscriptions}>
            {({ items }) => <Callers version={version} callers={callersOf(rows, items)} />}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}

interface CallersProps {
  version: string;
  callers: readonly StillCalling[];
}

function Callers({ version, callers }: CallersProps) {
  if (callers.length === 0) return <Empty>{words.nobody}</Empty>;
  const more = callers.length - SHOWN_MAX;
  return (
    <>
      <Table
        label={words.title}
        columns={COLUMNS}
        rows={callers.slice(0, SHOWN_MAX)}
        keyOf={({ application = "" }) => application}
      />
      {more > 0 && (
        <CardFoot>
          <span>{words.more(count(more))}</span>
          <ButtonLink {...paths.versionSubscriptions(version)} small>
            {words.all}
          </ButtonLink>
        </CardFoot>
      )}
    </>
  );
}
