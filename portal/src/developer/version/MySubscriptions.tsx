import { Link } from "@tanstack/react-router";
import type { CatalogueEntry, Security } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { type Column, Table } from "../../ui/Table";
import { SubscriptionStatus } from "../../ui/State";

type MySubscription = NonNullable<CatalogueEntry["mine"]>["subscriptions"][number];

const words = text.developer.version;

const COLUMNS: Column<MySubscription>[] = [
  {
    title: words.application,
    isName: true,
    cell: ({ application, application_name }) => (
      <Link {...paths.application(application)}>{application_name}</Link>
    ),
  },
  { title: words.plan, cell: planOf },
  { title: words.status, cell: ({ status }) => <SubscriptionStatus status={status} /> },
];

/** A column of the scopes by approval: those granted and those not. */
function scopesColumn(byApproval: readonly string[]): Column<MySubscription> {
  return {
    title: words.granted,
    cell: ({ scopes }) => {
      const granted = byApproval.filter((scope) => scopes.includes(scope));
      const wanting = byApproval.filter((scope) => !scopes.includes(scope));
      const lack = wanting.length > 0 ? [words.notGranted(wanting.join(", "))] : [];
      return [...granted, ...lack].join(", ");
    },
  };
}

interface MySubscriptionsProps {
  subscriptions: readonly MySubscription[];
  security: Security;
}

export function MySubscriptions({ subscriptions, security }: MySubscriptionsProps) {
  const scopes = Object.entries(security.scopes ?? {});
  const byApproval = scopes.filter(([, it]) => it.granted === "by_approval").map(([name]) => name);
  const columns = byApproval.length > 0 ? [...COLUMNS, scopesColumn(byApproval)] : COLUMNS;
  return (
    <Card title={words.mine} flush>
      <Table label={words.mine} columns={columns} rows={subscriptions} keyOf={({ id }) => id} />
    </Card>
  );
}
