import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { catalogueEntry } from "../../api/queries/catalogue";
import {
  type Subscription,
  changePlan,
  subscriptionsOf,
  unsubscribe,
} from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { limitInWords } from "../../text/limit";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Actions, Dialog } from "../../ui/Dialog";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Row } from "../../ui/Row";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { inForce } from "../../ui/in_force";
import { SubscriptionStatus } from "../../ui/State";
import { ApplicationFrame } from "./ApplicationFrame";

const route = getRouteApi("/shell/developer/applications/$application/subscriptions");
const words = text.developer.subscriptions;

export function ApplicationSubscriptionsPage() {
  const { application } = route.useParams();
  return (
    <ApplicationFrame
      id={application}
      tab={words.title}
      actions={() => <ButtonLink {...paths.catalogue()}>{words.toCatalogue}</ButtonLink>}
    >
      {() => <Subscriptions application={application} />}
    </ApplicationFrame>
  );
}

type Open = { what: "change" | "leave"; subscription: Subscription } | null;

function Subscriptions({ application }: { application: string }) {
  const query = useInfiniteQuery(subscriptionsOf(application));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <>
          <Card flush>
            {items.length === 0 ? (
              <Empty>{words.empty}</Empty>
            ) : (
              <SubscriptionTable subscriptions={items} onOpen={setOpen} />
            )}
          </Card>
          {query.hasNextPage && (
            <More
              shown={items.length}
              total={total}
              isPending={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          )}
          {open?.what === "change" && (
            <ChangePlanDialog subscription={open.subscription} onClose={close} />
          )}
          {open?.what === "leave" && (
            <LeaveDialog subscription={open.subscription} onClose={close} />
          )}
        </>
      )}
    </Loaded>
  );
}

interface SubscriptionTableProps {
  subscriptions: readonly Subscription[];
  onOpen: (open: Open) => void;
}

function SubscriptionTable({ subscriptions, onOpen }: SubscriptionTableProps) {
  const columns: Column<Subscription>[] = [
    {
      title: words.api,
      isName: true,
      cell: (it) => <Link {...paths.version(it.version)}>{apiOf(it)}</Link>,
    },
    { title: words.plan, cell: ({ plan_name }) => plan_name },
    { title: words.status, cell: ({ status }) => <SubscriptionStatus status={status} /> },
    { title: words.since, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "",
      cell: (subscription) => (
        <Row>
          <Button
            small
            aria-label={`${words.changePlan}: ${apiOf(subscription)}`}
            onPress={() => onOpen({ what: "change", subscription })}
          >
            {text.ui.asks(words.changePlan)}
          </Button>
          <Button
            small
            aria-label={`${words.leave}: ${apiOf(subscription)}`}
            onPress={() => onOpen({ what: "leave", subscription })}
          >
            {text.ui.asks(words.leave)}
          </Button>
        </Row>
      ),
    },
  ];
  return (
    <Table label={words.title} columns={columns} rows={subscriptions} keyOf={({ id }) => id} />
  );
}

interface DialogProps {
  subscription: Subscription;
  onClose: () => void;
}

function ChangePlanDialog({ subscription, onClose }: DialogProps) {
  const query = useQuery(catalogueEntry(subscription.version));
  const [plan, setPlan] = useState(subscription.plan);
  const submit = async () => {
    await inForce(changePlan(subscription.id, plan), words.changed);
    onClose();
  };
  return (
    <Dialog title={words.changeTitle(apiOf(subscription))} isOpen onClose={onClose}>
      <Loaded query={query}>
        {({ plans }) => (
          <Form onSubmit={submit}>
            {(isPending) => (
              <>
                <Select
                  label={words.plan}
                  value={plan}
                  choices={plans.map(({ id, name, limits }) => ({
                    value: id,
                    label: name,
                    detail: limits.map(limitInWords).join("; ") || text.nouns.unlimited,
                  }))}
                  onChange={setPlan}
                  hint={words.changeNote}
                  pointer="/plan"
                />
                <Actions>
                  <Button
                    type="submit"
                    look="primary"
                    isPending={isPending}
                    why={plans.length < 2 ? words.noOther : undefined}
                  >
                    {words.changePlan}
                  </Button>
                </Actions>
              </>
            )}
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}

function LeaveDialog({ subscription, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={words.leaveTitle(apiOf(subscription))}
      confirm={words.leave}
      onConfirm={async () => {
        await inForce(unsubscribe(subscription.id), words.left);
      }}
      onClose={onClose}
    >
      {words.leaveLead}
    </ConfirmDialog>
  );
}

const apiOf = ({ api_name, version_name }: Subscription) => `${api_name} ${version_name}`;
