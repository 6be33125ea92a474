// The APIs that the user can call. The server searches, filters and sorts; all three are in the
// address.

import { getRouteApi } from "@tanstack/react-router";
import { type CatalogueEntry, LISTED_STATES, catalogue } from "../../api/queries/catalogue";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import type { CsvColumn } from "../../ui/csv";
import { FirstSteps } from "./FirstSteps";
import { VersionCards } from "./VersionCards";

const route = getRouteApi("/shell/visitors/");
const words = text.developer.catalogue;
const { kind, state, deprecated, sort } = text.nouns.filters;

const COLUMNS: readonly CsvColumn<CatalogueEntry>[] = [
  { title: words.api, value: ({ api_name }) => api_name },
  { title: words.version, value: ({ name }) => name },
  { title: words.path, value: ({ path }) => path },
  { title: kind.label, value: (entry) => kind.names[entry.kind] },
  { title: state.label, value: (entry) => state.names[entry.state] },
  { title: words.plans, value: ({ plans }) => plans.map(planTitle).join(", ") },
  { title: words.description, value: ({ description }) => description },
];

export function CataloguePage() {
  const search = route.useSearch();
  return (
    <Page title={words.title} lead={words.lead}>
      <FirstSteps />
      <List
        list={catalogue(search)}
        narrow={{
          search,
          label: words.search,
          noHit: words.noHit,
          filters: { kind, state: { ...state, values: LISTED_STATES }, deprecated, sort },
        }}
        empty={words.empty}
        file="catalogue"
        columns={COLUMNS}
      >
        {(entries) => <VersionCards entries={entries} />}
      </List>
    </Page>
  );
}
