// State related to a refusal, as far as the user has access: credentials, subscriptions, calls of
// the last day.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { application as oneApplication } from "../../api/queries/applications";
import { apiKeys, basicUsers, oauth2Clients } from "../../api/queries/credentials";
import { type Subscription, subscriptionsOf } from "../../api/queries/subscriptions";
import { type UsageRow, usage } from "../../api/queries/usage";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import type { RefusalCode } from "../../text/en/refusals";
import { Card } from "../../ui/Card";
import { Loaded, Skeleton } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { useNow } from "../../ui/Time";
import { SubscriptionStatus } from "../../ui/State";
import { Clues } from "./Clues";
import { credentialClues } from "./credential_clues";

const words = text.developer.explain;

interface EvidenceProps {
  code: RefusalCode;
  application: string | undefined;
}

export function Evidence({ code, application }: EvidenceProps) {
  if (application === undefined) return <Note tone="information">{words.choose}</Note>;
  return <EvidenceOf code={code} application={application} />;
}

function EvidenceOf({ code, application }: { code: RefusalCode; application: string }) {
  const query = useQuery(oneApplication(application));
  return (
    <Loaded query={query}>
      {({ name }) => (
        <Card title={words.seen} note={words.seenNote(name)}>
          <CallsOf code={code} application={application} />
          {/^authenticate\.|^authorize\.(scope|denied|no_environment)$/.test(code) && (
            <CredentialsOf code={code} application={application} />
          )}
          {/^authorize\.(not_)?subs|^admit\./.test(code) && (
            <SubscriptionsOf code={code} application={application} />
          )}
        </Card>
      )}
    </Loaded>
  );
}

interface Of {
  code: RefusalCode;
  application: string;
}

const DAY_S = 86_400;
/** Further APIs are one clue. */
const APIS = 10;

function CallsOf({ code, application }: Of) {
  const query = useQuery(
    usage({
      filter: { application, refusal: code },
      groupBy: ["api", "version"],
      metrics: ["calls"],
      first: { groups: APIS, by: "calls" },
      seconds: DAY_S,
    }),
  );
  const apiOf = ({ api, version }: UsageRow) =>
    [api?.name, version?.name].filter(Boolean).join(" ") || text.charts.top.unknown;
  const clue = ({ calls }: UsageRow, api: string) =>
    words.happened(words.calls(calls, count(calls)), api);
  return (
    <Loaded query={query}>
      {({ rows, others }) => {
        const clues = [
          ...rows.map((row) => clue(row, apiOf(row))),
          ...others.map((row) => clue(row, words.otherApis)),
        ];
        return <Clues clues={clues.length > 0 ? clues : [words.notHappened]} />;
      }}
    </Loaded>
  );
}

function CredentialsOf({ code, application }: Of) {
  const now = useNow();
  const keys = useQuery(apiKeys.list(application)).data;
  const clients = useQuery(oauth2Clients.list(application)).data;
  const users = useQuery(basicUsers.list(application)).data;
  if (!keys || !clients || !users) return <Skeleton />;
  return (
    <>
      <Clues clues={credentialClues(code, { keys, clients, users }, now)} />
      <p>
        <Link {...paths.applicationKeys(application)}>{words.credentials.see}</Link>
      </p>
    </>
  );
}

function SubscriptionsOf({ code, application }: Of) {
  const query = useInfiniteQuery(subscriptionsOf(application).pages);
  return (
    <Loaded query={query}>
      {({ items }) => (
        <>
          <Clues clues={subscriptionClues(code, items)} />
          <p>
            <Link {...paths.applicationSubscriptions(application)}>{words.subscriptions.see}</Link>
          </p>
        </>
      )}
    </Loaded>
  );
}

function subscriptionClues(code: RefusalCode, all: readonly Subscription[]): ReactNode[] {
  if (all.length === 0) return [words.subscriptions.none];
  const isAboutStatus = code.startsWith("authorize.subscription");
  const shown = isAboutStatus ? all.filter(({ status }) => status !== "active") : all;
  if (shown.length === 0) return [words.subscriptions.allActive];
  return shown.map((it) => (
    <span key={it.id}>
      {words.subscriptions.one(`${it.api_name} ${it.version_name}`, planOf(it))}{" "}
      <SubscriptionStatus status={it.status} />
    </span>
  ));
}
