import { Link } from "@tanstack/react-router";
import type { CatalogueEntry } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { type Column, Table } from "../../ui/Table";
import { SubscriptionStatus } from "../../ui/State";

type MySubscription = NonNullable<CatalogueEntry["mine"]>["subscriptions"][number];

const words = text.developer.version;

const COLUMNS: readonly Column<MySubscription>[] = [
  {
    title: words.application,
    isName: true,
    cell: ({ application, application_name }) => (
      <Link {...paths.application(application)}>{application_name}</Link>
    ),
  },
  { title: words.plan, cell: ({ plan_name }) => plan_name },
  { title: words.status, cell: ({ status }) => <SubscriptionStatus status={status} /> },
];

export function MySubscriptions({ subscriptions }: { subscriptions: readonly MySubscription[] }) {
  return (
    <Card title={words.mine} flush>
      <Table label={words.mine} columns={COLUMNS} rows={subscriptions} keyOf={({ id }) => id} />
    </Card>
  );
}
