// Single calls: the latest ones, and those that happen while somebody watches. Each leads to its
// explanation.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type CallsFilter, type UsageCall, latestCalls, watchCalls } from "../api/queries/calls";
import { titleOfRefusal } from "../developer/explain/refusals";
import { paths } from "../paths";
import { count, dateTime, duration } from "../text/format";
import { sentence } from "../text/sentence";
import { text } from "../text/text";
import { Badge, statusTone } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Card, CardFoot } from "../ui/Card";
import { Empty } from "../ui/Empty";
import { Loaded } from "../ui/Loaded";
import { Note } from "../ui/Note";
import { type Column, Table } from "../ui/Table";

const words = text.charts.single;
const { top } = text.charts;
/** Calls that are loaded. */
const LATEST = 10;
/** Calls that are shown of those that were watched. */
const WATCHED_MAX = 100;

interface CallsCardProps {
  title: string;
  filter: CallsFilter;
  /** Whether calls are shown only once somebody watches. */
  isLiveOnly?: boolean;
}

export function CallsCard(props: CallsCardProps) {
  // Calls that were seen are of one filter.
  return <Calls key={JSON.stringify(props.filter)} {...props} />;
}

function Calls({ title, filter, isLiveOnly = false }: CallsCardProps) {
  const live = useLive(filter);
  const query = useQuery({ ...latestCalls(filter, LATEST), enabled: !isLiveOnly });
  const columns = columnsOf(filter);
  const none = filter.refused === true ? words.noneRefused : words.none;
  const table = (calls: readonly UsageCall[], empty: string) =>
    calls.length === 0 ? (
      <Empty>{empty}</Empty>
    ) : (
      <Table label={title} columns={columns} rows={calls} keyOf={({ request_id: id }) => id} />
    );
  return (
    <Card
      title={title}
      flush
      actions={
        <Button small onPress={live.isWatching ? live.pause : live.watch}>
          {live.isWatching ? words.pause : words.watch}
        </Button>
      }
    >
      <div role="log" aria-live="off" aria-label={title}>
        {live.calls === null ? (
          isLiveOnly ? (
            <Empty>{words.idle}</Empty>
          ) : (
            <Loaded query={query}>{({ items }) => table(items, none)}</Loaded>
          )
        ) : (
          table(live.calls, live.isWatching ? words.waiting : words.noneSeen)
        )}
      </div>
      {(live.isWatching || live.surplus > 0 || live.ended !== null) && (
        <CardFoot>
          {live.isWatching && <Badge tone="good">{words.live}</Badge>}
          {live.surplus > 0 && <span>{words.surplus(count(live.surplus))}</span>}
          {live.ended !== null && (
            <Note tone="warning">
              {live.ended === "" ? words.interrupted : sentence(live.ended)}
            </Note>
          )}
        </CardFoot>
      )}
    </Card>
  );
}

/** Calls as they happen, the newest first; `null` before the first watch. */
function useLive(filter: CallsFilter) {
  const [isWatching, setWatching] = useState(false);
  const [calls, setCalls] = useState<readonly UsageCall[] | null>(null);
  const [surplus, setSurplus] = useState(0);
  const [ended, setEnded] = useState<string | null>(null);
  const key = JSON.stringify(filter);
  useEffect(() => {
    if (!isWatching) return;
    return watchCalls(JSON.parse(key) as CallsFilter, {
      onCalls: (seen) => {
        setCalls((before) => [...seen.items.toReversed(), ...(before ?? [])].slice(0, WATCHED_MAX));
        setSurplus((before) => before + seen.surplus);
      },
      onEnd: (reason) => {
        setEnded(reason);
        setWatching(false);
      },
    });
  }, [isWatching, key]);
  return {
    isWatching,
    calls,
    surplus,
    ended,
    watch: () => {
      setCalls((before) => before ?? []);
      setEnded(null);
      setWatching(true);
    },
    pause: () => setWatching(false),
  };
}

function columnsOf({ application }: CallsFilter): readonly Column<UsageCall>[] {
  const ofApplication: Column<UsageCall> = {
    title: top.application,
    cell: ({ application: caller }) => caller?.name ?? caller?.id ?? top.noApplication,
  };
  return [
    {
      title: words.at,
      isName: true,
      cell: ({ at, request_id: call }) => (
        <Link {...paths.explain({ call })}>
          <time dateTime={at}>{dateTime(at)}</time>
        </Link>
      ),
    },
    {
      title: top.api,
      cell: ({ api, version }) =>
        api ? `${api.name ?? top.deleted} ${version?.name ?? ""}` : top.unknown,
    },
    {
      title: top.operation,
      cell: ({ operation, method }) =>
        operation?.name ? <code>{operation.name}</code> : (method ?? top.noOperation),
    },
    ...(application === undefined ? [ofApplication] : []),
    { title: words.response, cell: (call) => <Response call={call} /> },
    { title: words.took, isNumber: true, cell: ({ total_us: us }) => duration(us) },
  ];
}

function Response({ call: { status, refusal } }: { call: UsageCall }) {
  return (
    <>
      {status === 0 ? (
        <Badge tone="quiet">{words.left}</Badge>
      ) : (
        <Badge tone={statusTone(status)}>{status}</Badge>
      )}{" "}
      {refusal && titleOfRefusal(refusal)}
    </>
  );
}
