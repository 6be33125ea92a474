import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  STATUSES,
  type Status,
  type Subscription,
  subscribers,
} from "../../api/queries/subscribers";
import { narrowed } from "../../narrowed";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { SearchField } from "../../ui/SearchField";
import { SubscriptionStatus } from "../../ui/State";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { Pager, Toolbar } from "../../ui/Toolbar";
import { DecideDialog, type Decision } from "./DecideDialog";
import { VersionFrame } from "./VersionFrame";
import styles from "./VersionSubscriptionsPage.module.css";

const words = text.publisher.version.subscriptions;
const route = getRouteApi("/shell/publisher/publish/versions/$version/subscriptions");

export function VersionSubscriptionsPage() {
  const { version: id } = route.useParams();
  return <VersionFrame id={id}>{() => <Subscriptions id={id} />}</VersionFrame>;
}

interface Deciding {
  subscription: Subscription;
  decision: Decision;
}

function Subscriptions({ id }: { id: string }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(subscribers(id, search));
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const find = (change: { q?: string; status?: Status | "" }) =>
    void navigate({ ...paths.versionSubscriptions(id, narrowed(search, change)), replace: true });
  const isFiltered = search.q !== undefined || search.status !== undefined;
  const columns = columnsOf((subscription, decision) => setDeciding({ subscription, decision }));
  return (
    <>
      <Toolbar>
        <SearchField label={words.search} value={search.q ?? ""} onSearch={(q) => find({ q })} />
        <Select<Status | "">
          label={words.status}
          isLabelHidden
          value={search.status ?? ""}
          choices={STATUS_CHOICES}
          onChange={(status) => find({ status })}
        />
      </Toolbar>
      <Loaded query={query}>
        {({ items, total, next }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty>{isFiltered ? words.nothingFound : words.empty}</Empty>
            ) : (
              <>
                <Table label={words.title} columns={columns} rows={items} keyOf={(it) => it.id} />
                <Pager shown={text.ui.shown(count(items.length), count(total))}>
                  {search.after && (
                    <ButtonLink {...paths.versionSubscriptions(id, narrowed(search, {}))} small>
                      {text.ui.pager.first}
                    </ButtonLink>
                  )}
                  {next && (
                    <ButtonLink
                      {...paths.versionSubscriptions(id, { ...search, after: next })}
                      small
                    >
                      {text.ui.pager.next}
                    </ButtonLink>
                  )}
                </Pager>
              </>
            )}
          </Card>
        )}
      </Loaded>
      {deciding && <DecideDialog {...deciding} onClose={() => setDeciding(null)} />}
    </>
  );
}

const STATUS_CHOICES = [
  { value: "" as const, label: words.anyStatus },
  ...STATUSES.map((status) => ({ value: status, label: text.nouns.statuses[status] })),
];

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
        <div className={styles["actions"]}>
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
        </div>
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
