import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Application, applications } from "../../api/queries/applications";
import { usage } from "../../api/queries/usage";
import { currentSession } from "../../api/session";
import { callsOf } from "../../charts/metrics";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { type Column, timeColumn } from "../../ui/Table";
import { NewApplicationDialog } from "./NewApplicationDialog";

const route = getRouteApi("/shell/developer/applications");
const words = text.developer.applications;
const { sort } = text.nouns.filters;

export function ApplicationsPage() {
  const search = route.useSearch();
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <List
        list={applications(search)}
        narrow={{ search, label: words.search, noHit: words.noHit, filters: { sort } }}
        empty={words.empty}
        file="applications"
        label={words.list}
        columns={useColumns()}
        keyOf={({ id }) => id}
      />
      {isMaking && <NewApplicationDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

const DAY_S = 86_400;

/** One request for the totals of all applications. */
function lastDay() {
  const isDeveloper = currentSession()?.roles.includes("developer") ?? false;
  return usage({
    filter: isDeveloper ? { as: "developer" } : {},
    groupBy: ["application"],
    metrics: ["refused"],
    seconds: DAY_S,
  });
}

function useColumns(): readonly Column<Application>[] {
  const rows = useQuery(lastDay()).data?.rows;
  const rowOf = new Map(rows?.map((row) => [row.application?.id, row]));
  const figure = (name: "calls" | "refused") => (application: Application) =>
    rows ? callsOf(rowOf.get(application.id))[name] : "";
  return [
    {
      title: words.name,
      isName: true,
      value: ({ name }) => name,
      cell: ({ id, name }) => <Link {...paths.application(id)}>{name}</Link>,
    },
    { title: words.description, value: ({ description }) => description },
    { title: words.subscriptions, isNumber: true, value: ({ live }) => live.subscriptions },
    {
      title: words.credentials,
      isNumber: true,
      value: ({ live }) => live.keys + live.clients + live.basic_users,
    },
    { title: words.calls, isNumber: true, value: figure("calls") },
    { title: words.refused, isNumber: true, value: figure("refused") },
    timeColumn(words.made, ({ created_at }) => created_at),
  ];
}
