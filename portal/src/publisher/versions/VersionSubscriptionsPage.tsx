import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Status, type Subscription, subscribers } from "../../api/queries/subscribers";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Row } from "../../ui/Row";
import { SubscriptionStatus } from "../../ui/State";
import { type Column, timeColumn } from "../../ui/Table";
import { DecideDialog, type Decision } from "./DecideDialog";
import { VersionFrame } from "./VersionFrame";

const words = text.publisher.version.subscriptions;
const route = getRouteApi("/shell/publisher/publish/versions/$version/subscriptions");
const { status } = text.nouns.filters;

export function VersionSubscriptionsPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.subscriptions}>
      {() => <Subscriptions id={id} />}
    </VersionFrame>
  );
}

interface Deciding {
  subscription: Subscription;
  decision: Decision;
}

function Subscriptions({ id }: { id: string }) {
  const search = route.useSearch();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const columns = columnsOf((subscription, decision) => setDeciding({ subscription, decision }));
  return (
    <>
      <List
        list={subscribers(id, search)}
        narrow={{ search, label: words.search, noHit: words.noHit, filters: { status } }}
        empty={words.empty}
        file="subscriptions"
        label={words.title}
        columns={columns}
        keyOf={(it) => it.id}
      />
      {deciding && <DecideDialog {...deciding} onClose={() => setDeciding(null)} />}
    </>
  );
}

type Decide = (subscription: Subscription, decision: Decision) => void;

function columnsOf(decide: Decide): readonly Column<Subscription>[] {
  return [
    { title: words.application, isName: true, value: (it) => it.application_name },
    { title: words.owner, value: (it) => it.owner_name },
    { title: words.plan, value: (it) => it.plan_name },
    {
      title: words.status,
      value: ({ status }) => text.nouns.statuses[status],
      cell: ({ status }) => <SubscriptionStatus status={status} />,
    },
    timeColumn(words.since, ({ created_at }) => created_at),
    {
      title: "",
      cell: (it) => (
        <Row>
          {decisionsOn(it.status).map((decision) => (
            <Button
              key={decision}
              small
              aria-label={words.decide[decision].label(it.application_name)}
              onPress={() => decide(it, decision)}
            >
              {words.decide[decision].button}
            </Button>
          ))}
        </Row>
      ),
    },
  ];
}

/** What can be decided on a subscription that stands so. */
function decisionsOn(status: Status): readonly Decision[] {
  switch (status) {
    case "pending":
      return ["approve", "reject"];
    case "active":
      return ["block"];
    case "blocked":
    case "blocked_production":
      return ["unblock"];
    case "rejected":
      return ["approve"];
  }
}
