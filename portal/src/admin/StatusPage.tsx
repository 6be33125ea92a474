import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ProcessStatus, processStatus } from "../api/queries/status";
import { paths } from "../paths";
import { bytes, count, dateTime, zone } from "../text/format";
import { text } from "../text/text";
import { Badge } from "../ui/Badge";
import { Card, Facts, Figures } from "../ui/Card";
import { Loaded } from "../ui/Loaded";
import { Note } from "../ui/Note";
import { Grid, Page } from "../ui/Page";
import { type Column, Table } from "../ui/Table";
import { Time } from "../ui/Time";
import { AccessLog, Metrics } from "./WatchCards";

type GatewayStatus = ProcessStatus["gateways"][number];

const words = text.admin.status;

export function StatusPage() {
  const query = useQuery(processStatus);
  return (
    <Page
      title={words.title}
      lead={query.data && words.lead(query.data.release, dateTime(query.data.now), zone())}
    >
      <Loaded query={query}>
        {(status) => (
          <>
            <Conditions status={status} />
            <Calls status={status} />
            <Grid columns="3">
              <Store status={status} />
              <Usage status={status} />
              {status.gateways.map((gateway, at) => (
                <Gateway key={at} gateway={gateway} startedAt={status.started_at} />
              ))}
              {status.watch && <Metrics watch={status.watch} />}
              {status.access_log && <AccessLog log={status.access_log} />}
            </Grid>
            <Authentication status={status} />
            <Losses losses={status.usage.losses} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Current load, summed over all gateways. */
function Calls({ status: { gateways } }: StatusProps) {
  const sum = (of: (gateway: GatewayStatus) => number) =>
    gateways.reduce((all, gateway) => all + of(gateway), 0);
  const versions = Math.max(0, ...gateways.map((gateway) => gateway.versions));
  return (
    <Card flush>
      <Figures
        figures={[
          { label: words.calls, value: count(sum(({ calls }) => calls)) },
          { label: words.connections, value: count(sum(({ connections }) => connections)) },
          { label: words.versions, value: count(versions) },
        ]}
      />
    </Card>
  );
}

/** Conditions that need attention, or a note that there are none. */
function Conditions({ status: { conditions, store, usage, feed, access_log } }: StatusProps) {
  const refused = feed.gateways.flatMap((gateway) => gateway.refused);
  const logProblem = access_log?.problem ?? undefined;
  const isBehind = feed.gateways.some((gateway) => !gateway.is_current);
  const isHealthy =
    conditions.length === 0 &&
    store.writable &&
    usage.failing_since === undefined &&
    logProblem === undefined &&
    refused.length === 0 &&
    !isBehind;
  if (isHealthy) return <Note tone="good">{words.healthy}</Note>;
  return (
    <>
      {!store.writable && <Note tone="bad">{words.notWritable(store.problem ?? "")}</Note>}
      {usage.failing_since && <Note tone="bad">{words.usageFails}</Note>}
      {logProblem !== undefined && <Note tone="warning">{words.logFails(logProblem)}</Note>}
      {isBehind && <Note tone="warning">{words.behind}</Note>}
      {refused.map(({ version, api_name, version_name, reason }) => (
        <Note key={version} tone="bad">
          <Link {...paths.ownVersion(version)}>
            {words.unserved(api_name ?? version, version_name ?? "")}
          </Link>{" "}
          {reason}
        </Note>
      ))}
      {conditions.map((condition) => (
        <Note key={condition} tone="warning">
          {condition}
        </Note>
      ))}
    </>
  );
}

interface StatusProps {
  status: ProcessStatus;
}

function Store({ status: { store, feed } }: StatusProps) {
  const isCurrent = feed.gateways.every((gateway) => gateway.is_current);
  return (
    <Card title={words.store}>
      <Facts
        facts={[
          [
            words.writes,
            store.writable ? (
              <Badge tone="good">{words.writable}</Badge>
            ) : (
              <Badge tone="bad">{store.problem ?? words.unwritable}</Badge>
            ),
          ],
          [words.size, bytes(store.bytes)],
          [
            words.feed,
            <Badge tone={isCurrent ? "good" : "warning"}>
              {isCurrent ? words.current : words.lags}
            </Badge>,
          ],
          [words.followers, count(feed.gateways.length)],
          [words.sequence, count(feed.sequence)],
        ]}
      />
    </Card>
  );
}

function Usage({ status: { usage } }: StatusProps) {
  return (
    <Card title={words.usage}>
      <Facts
        facts={[
          [
            words.writes,
            usage.failing_since ? (
              <Badge tone="bad">
                {words.failing} <Time at={usage.failing_since} />
              </Badge>
            ) : (
              <Badge tone="good">{words.writable}</Badge>
            ),
          ],
          [words.size, bytes(usage.bytes)],
          [words.unwritten, count(usage.unwritten_rows)],
          [words.failures, count(usage.failures)],
        ]}
      />
    </Card>
  );
}

interface GatewayProps {
  gateway: GatewayStatus;
  startedAt: string;
}

function Gateway({ gateway, startedAt }: GatewayProps) {
  return (
    <Card title={words.gateway}>
      <Facts
        facts={[
          [words.runs, <Time at={startedAt} />],
          [words.workers, count(gateway.workers)],
          [words.tokens, count(gateway.remembered_tokens)],
        ]}
      />
    </Card>
  );
}

interface Failures {
  kind: string;
  failed: number;
  refused: number;
}

const FAILURES: readonly Column<Failures>[] = [
  { title: words.credential, isName: true, cell: ({ kind }) => kind },
  { title: words.failed, isNumber: true, cell: ({ failed }) => count(failed) },
  { title: words.refused, isNumber: true, cell: ({ refused }) => count(refused) },
];

function Authentication({ status: { authentication } }: StatusProps) {
  const rows = [
    { kind: words.signIns, ...authentication.sign_ins },
    { kind: words.clients, ...authentication.clients },
    { kind: words.accessTokens, ...authentication.access_tokens },
  ];
  return (
    <Card title={words.authentication} note={words.authenticationNote} flush>
      <Table
        label={words.authentication}
        columns={FAILURES}
        rows={rows}
        keyOf={({ kind }) => kind}
      />
    </Card>
  );
}

type Loss = ProcessStatus["usage"]["losses"][number];

const LOSSES: readonly Column<Loss>[] = [
  { title: words.from, isName: true, cell: ({ from }) => dateTime(from) },
  { title: words.to, cell: ({ to }) => dateTime(to) },
  { title: words.reason, cell: ({ reason }) => text.nouns.lossReasons[reason] },
  {
    title: words.lost,
    isNumber: true,
    cell: ({ calls }) => (calls == null ? words.nobodyKnows : count(calls)),
  },
];

function Losses({ losses }: { losses: readonly Loss[] }) {
  return (
    <Card title={words.losses} note={words.lossesNote} flush={losses.length > 0}>
      {losses.length === 0 ? (
        <p>{words.noLosses}</p>
      ) : (
        <Table
          label={words.losses}
          columns={LOSSES}
          rows={losses.toReversed()}
          keyOf={({ from, reason }) => `${from} ${reason}`}
        />
      )}
    </Card>
  );
}
