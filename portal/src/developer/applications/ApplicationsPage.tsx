import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Application, applications } from "../../api/queries/applications";
import { usage } from "../../api/queries/usage";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { type Column, timeColumn } from "../../ui/Table";
import { NewApplicationDialog } from "./NewApplicationDialog";
import { type Calls, NO_CALLS, callsByApplication } from "./sums";

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
const LAST_DAY = usage({ filter: {}, groupBy: ["application", "refusal"], seconds: DAY_S });

function useColumns(): readonly Column<Application>[] {
  const figures = useQuery(LAST_DAY);
  const sums = callsByApplication(figures.data?.rows ?? []);
  const figure = (of: (sums: Calls) => number) => (application: Application) =>
    figures.data ? of(sums.get(application.id) ?? NO_CALLS) : "";
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
    { title: words.calls, isNumber: true, value: figure(({ calls }) => calls) },
    { title: words.refused, isNumber: true, value: figure(({ refused }) => refused) },
    timeColumn(words.made, ({ created_at }) => created_at),
  ];
}
