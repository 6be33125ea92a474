import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import {
  STATUSES,
  type Status,
  type SubscribersSearch,
  type Subscription,
  subscribers,
} from "../../api/queries/subscribers";
import { SubscriptionStatus } from "../../ui/State";
import { type Change, changed } from "../../search_parameters";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Filters } from "../../ui/Filters";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Row } from "../../ui/Row";
import { SearchField } from "../../ui/SearchField";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { DecideDialog, type Decision } from "./DecideDialog";
import { VersionFrame } from "./VersionFrame";

const words = text.publisher.version.subscriptions;
const route = getRouteApi("/shell/publisher/publish/versions/$version/subscriptions");

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
  const query = useInfiniteQuery(subscribers(id, search));
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const isNarrowed = Boolean(search.q ?? search.status);
  const columns = columnsOf((subscription, decision) => setDeciding({ subscription, decision }));
  return (
    <>
      <SubscriberFilters search={search} />
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            <Card flush>
              {items.length === 0 ? (
                <Empty>{isNarrowed ? words.noHit : words.empty}</Empty>
              ) : (
                <Table label={words.title} columns={columns} rows={items} keyOf={(it) => it.id} />
              )}
            </Card>
            {items.length > 0 && (
              <More
                shown={items.length}
                total={total}
                isPending={query.isFetchingNextPage}
                onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              />
            )}
          </>
        )}
      </Loaded>
      {deciding && <DecideDialog {...deciding} onClose={() => setDeciding(null)} />}
    </>
  );
}

function SubscriberFilters({ search }: { search: SubscribersSearch }) {
  const navigate = route.useNavigate();
  const narrow = useCallback(
    (change: Change<SubscribersSearch>) => {
      void navigate({ search: (before) => changed(before, change), replace: "q" in change });
    },
    [navigate],
  );
  const onSearch = useCallback((q: string) => narrow({ q: q || undefined }), [narrow]);
  return (
    <Filters>
      <SearchField label={words.search} value={search.q ?? ""} onSearch={onSearch} />
      <Select
        label={words.status}
        isLabelHidden
        value={search.status ?? "all"}
        choices={[
          { value: "all", label: words.anyStatus },
          ...STATUSES.map((status) => ({ value: status, label: text.nouns.statuses[status] })),
        ]}
        onChange={(status) => narrow({ status: status === "all" ? undefined : status })}
      />
    </Filters>
  );
}

type Decide = (subscription: Subscription, decision: Decision) => void;

function columnsOf(decide: Decide): readonly Column<Subscription>[] {
  return [
    { title: words.application, isName: true, cell: (it) => it.application_name },
    { title: words.owner, cell: (it) => it.owner_name },
    { title: words.plan, cell: (it) => it.plan_name },
    { title: words.status, cell: ({ status }) => <SubscriptionStatus status={status} /> },
    { title: words.since, cell: ({ created_at }) => <Time at={created_at} /> },
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
