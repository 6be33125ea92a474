import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Status, type Subscription, subscribers } from "../../api/queries/subscribers";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Row } from "../../ui/Row";
import { SubscriptionStatus } from "../../ui/State";
import { type Column, timeColumn } from "../../ui/Table";
import { DecideDialog, type Decision } from "./DecideDialog";
import { GrantDialog } from "./GrantDialog";
import { VersionFrame } from "./VersionFrame";
import { scopesByApproval } from "./security_fields";

const words = text.publisher.version.subscriptions;
const route = getRouteApi("/shell/publisher/publish/versions/$version/subscriptions");
const { status } = text.nouns.filters;

export function VersionSubscriptionsPage() {
  const { version: id } = route.useParams();
  return (
    <VersionFrame id={id} tab={text.publisher.version.tabs.subscriptions}>
      {({ draft }) => <Subscriptions id={id} byApproval={scopesByApproval(draft.value)} />}
    </VersionFrame>
  );
}

interface Deciding {
  subscription: Subscription;
  decision: Decision;
}

interface SubscriptionsProps {
  id: string;
  /** The scopes that the version grants by approval. */
  byApproval: readonly string[];
}

function Subscriptions({ id, byApproval }: SubscriptionsProps) {
  const search = route.useSearch();
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const [granting, setGranting] = useState<Subscription | null>(null);
  const columns = columnsOf({
    decide: (subscription, decision) => setDeciding({ subscription, decision }),
    grant: setGranting,
    byApproval,
  });
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
      {granting && (
        <GrantDialog
          subscription={granting}
          byApproval={byApproval}
          onClose={() => setGranting(null)}
        />
      )}
    </>
  );
}

interface Actions {
  decide: (subscription: Subscription, decision: Decision) => void;
  grant: (subscription: Subscription) => void;
  byApproval: readonly string[];
}

const SCOPES: Column<Subscription> = {
  title: words.scopes,
  value: ({ scopes }) => scopes.join(" "),
};

function columnsOf({ decide, grant, byApproval }: Actions): readonly Column<Subscription>[] {
  const hasScopes = byApproval.length > 0;
  return [
    { title: words.application, isName: true, value: (it) => it.application_name },
    { title: words.owner, value: (it) => it.owner_name },
    { title: words.plan, value: planOf },
    {
      title: words.status,
      value: ({ status }) => text.nouns.statuses[status],
      cell: ({ status }) => <SubscriptionStatus status={status} />,
    },
    ...(hasScopes ? [SCOPES] : []),
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
          {/* Granted scopes can be revoked even if the draft has none by approval. */}
          {(hasScopes || it.scopes.length > 0) && (
            <Button
              small
              aria-label={words.grant.label(it.application_name)}
              onPress={() => grant(it)}
            >
              {words.grant.button}
            </Button>
          )}
        </Row>
      ),
    },
  ];
}

/** Returns the decisions available for a status. */
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
