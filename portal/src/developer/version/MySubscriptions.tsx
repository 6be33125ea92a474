import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type CatalogueEntry, type Successor, catalogueEntry } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { planOf } from "../../text/plan";
import { text } from "../../text/text";
import { Card } from "../../ui/Card";
import { type Column, Table } from "../../ui/Table";
import { SubscriptionStatus } from "../../ui/State";
import { MoveButton } from "../moving/MoveButton";
import { successorOf } from "../moving/moving";

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

/** A column with the way to the successor of a deprecated version. */
function moveColumn(
  { version, name, api_name }: CatalogueEntry,
  successor: Successor,
  moved: readonly MySubscription[],
): Column<MySubscription> {
  const all = moved.map(({ application, status }) => ({
    application,
    status,
    version: successor.id,
  }));
  return {
    title: "",
    cell: (it) => (
      <MoveButton
        subscription={{ ...it, version, version_name: name, api_name }}
        successor={successor}
        all={all}
      />
    ),
  };
}

/** The user's subscriptions to a version. */
export function MySubscriptions({ entry }: { entry: CatalogueEntry }) {
  const { security, deprecation } = entry;
  const subscriptions = entry.mine?.subscriptions ?? [];
  const successor = successorOf(deprecation);
  const { data: next } = useQuery({
    ...catalogueEntry(successor?.id ?? ""),
    enabled: successor !== undefined && subscriptions.length > 0,
  });
  if (subscriptions.length === 0) return null;
  const scopes = Object.entries(security.scopes ?? {});
  const byApproval = scopes.filter(([, it]) => it.granted === "by_approval").map(([name]) => name);
  const columns = [
    ...COLUMNS,
    ...(byApproval.length > 0 ? [scopesColumn(byApproval)] : []),
    ...(successor && next ? [moveColumn(entry, successor, next.mine?.subscriptions ?? [])] : []),
  ];
  return (
    <Card title={words.mine} flush>
      <Table label={words.mine} columns={columns} rows={subscriptions} keyOf={({ id }) => id} />
    </Card>
  );
}
