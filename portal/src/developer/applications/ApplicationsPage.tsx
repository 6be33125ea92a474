import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Application, applications } from "../../api/queries/applications";
import { usage } from "../../api/queries/usage";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import type { Column } from "../../ui/Table";
import { Time } from "../../ui/Time";
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
        label={words.list}
        columns={useColumns()}
        keyOf={({ id }) => id}
      />
      {isMaking && <NewApplicationDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

const DAY_S = 86_400;
/** One question for the figures of all applications. */
const LAST_DAY = usage({ filter: {}, groupBy: ["application", "refusal"], seconds: DAY_S });

function useColumns(): readonly Column<Application>[] {
  const figures = useQuery(LAST_DAY);
  const sums = callsByApplication(figures.data?.rows ?? []);
  const figure = (of: (sums: Calls) => number) => (application: Application) =>
    figures.data ? count(of(sums.get(application.id) ?? NO_CALLS)) : "";
  return [
    {
      title: words.name,
      isName: true,
      cell: ({ id, name }) => <Link {...paths.application(id)}>{name}</Link>,
    },
    { title: words.description, cell: ({ description }) => description },
    { title: words.subscriptions, isNumber: true, cell: ({ live }) => count(live.subscriptions) },
    {
      title: words.credentials,
      isNumber: true,
      cell: ({ live }) => count(live.keys + live.clients + live.basic_users),
    },
    { title: words.calls, isNumber: true, cell: figure(({ calls }) => calls) },
    { title: words.refused, isNumber: true, cell: figure(({ refused }) => refused) },
    { title: words.made, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}
