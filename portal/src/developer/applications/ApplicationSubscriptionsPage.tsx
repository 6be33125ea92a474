import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { catalogueEntry } from "../../api/queries/catalogue";
import {
  type Subscription,
  changePlan,
  impactOfEnd,
  requestAgain,
  subscriptionsOf,
  unsubscribe,
} from "../../api/queries/subscriptions";
import { paths } from "../../paths";
import { limitsInWords } from "../../text/limit";
import { planOf, planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { Button, ButtonLink } from "../../ui/Button";
import { Facts } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Select } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { List } from "../../ui/List";
import { Loaded } from "../../ui/Loaded";
import { Row } from "../../ui/Row";
import { SubscriptionStatus } from "../../ui/State";
import { type Column, timeColumn } from "../../ui/Table";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import { MovingOn } from "../moving/MovingOn";
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

type Open = { what: "change" | "leave" | "request"; subscription: Subscription } | null;

function Subscriptions({ application }: { application: string }) {
  const [open, setOpen] = useState<Open>(null);
  const { data } = useInfiniteQuery(subscriptionsOf(application).pages);
  const close = () => setOpen(null);
  return (
    <>
      <List
        list={subscriptionsOf(application)}
        empty={words.empty}
        file="subscriptions"
        label={words.title}
        columns={columnsOf(setOpen, data?.items ?? [])}
        keyOf={({ id }) => id}
      />
      {open?.what === "change" && (
        <ChangePlanDialog subscription={open.subscription} onClose={close} />
      )}
      {open?.what === "leave" && <LeaveDialog subscription={open.subscription} onClose={close} />}
      {open?.what === "request" && (
        <RequestDialog subscription={open.subscription} onClose={close} />
      )}
    </>
  );
}

function columnsOf(
  onOpen: (open: Open) => void,
  all: readonly Subscription[],
): readonly Column<Subscription>[] {
  return [
    {
      title: words.api,
      isName: true,
      value: apiOf,
      cell: (it) => (
        <>
          <Link {...paths.version(it.version)}>{apiOf(it)}</Link>
          <MovingOn subscription={it} all={all} />
        </>
      ),
    },
    { title: words.plan, value: planOf },
    {
      title: words.status,
      value: ({ status }) => text.nouns.statuses[status],
      cell: ({ status }) => <SubscriptionStatus status={status} />,
    },
    timeColumn(words.since, ({ created_at }) => created_at),
    {
      title: "",
      cell: (subscription) => (
        <Row>
          {subscription.status === "rejected" && (
            <Button
              small
              aria-label={`${words.request}: ${apiOf(subscription)}`}
              onPress={() => onOpen({ what: "request", subscription })}
            >
              {text.ui.withEllipsis(words.request)}
            </Button>
          )}
          <Button
            small
            aria-label={`${words.changePlan}: ${apiOf(subscription)}`}
            onPress={() => onOpen({ what: "change", subscription })}
          >
            {text.ui.withEllipsis(words.changePlan)}
          </Button>
          <Button
            small
            aria-label={`${words.leave}: ${apiOf(subscription)}`}
            onPress={() => onOpen({ what: "leave", subscription })}
          >
            {text.ui.withEllipsis(words.leave)}
          </Button>
        </Row>
      ),
    },
  ];
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
  const offered = query.data?.plans;
  return (
    <FormDialog
      title={words.changeTitle(apiOf(subscription))}
      submit={words.changePlan}
      isDisabled={offered === undefined}
      why={offered && offered.length < 2 ? words.noOther : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Loaded query={query}>
        {({ plans }) => (
          <Select
            label={words.plan}
            value={plan}
            choices={plans.map((offered) => ({
              value: offered.id,
              label: planTitle(offered),
              detail: limitsInWords(offered.limits) || text.limitSentence.unlimited,
            }))}
            onChange={setPlan}
            hint={words.changeNote}
            pointer="/plan"
          />
        )}
      </Loaded>
    </FormDialog>
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
      <p>{words.leaveLead}</p>
      <Touches query={impactOfEnd(subscription.id)} />
    </ConfirmDialog>
  );
}

function RequestDialog({ subscription, onClose }: DialogProps) {
  const { id, reason } = subscription;
  const submit = async () => {
    await inForce(requestAgain(id), words.requested);
    onClose();
  };
  return (
    <FormDialog
      title={words.requestTitle(apiOf(subscription))}
      submit={words.request}
      onSubmit={submit}
      onClose={onClose}
    >
      {reason && <Facts facts={[[words.reason, reason]]} />}
      <p>{words.requestLead}</p>
    </FormDialog>
  );
}

const apiOf = ({ api_name, version_name }: Subscription) => `${api_name} ${version_name}`;
