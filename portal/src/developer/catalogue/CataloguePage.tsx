// The APIs that one may call. Search, filters and order are the server's, and in the address.

import { getRouteApi } from "@tanstack/react-router";
import { LISTED_STATES, catalogue } from "../../api/queries/catalogue";
import { text } from "../../text/text";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { VersionCards } from "./VersionCards";

const route = getRouteApi("/shell/anyone/");
const words = text.developer.catalogue;
const { kind, state, sort } = text.nouns.filters;

export function CataloguePage() {
  const search = route.useSearch();
  return (
    <Page title={words.title} lead={words.lead}>
      <List
        list={catalogue(search)}
        narrow={{
          search,
          label: words.search,
          noHit: words.noHit,
          filters: { kind, state: { ...state, values: LISTED_STATES }, sort },
        }}
        empty={words.empty}
      >
        {(entries) => <VersionCards entries={entries} />}
      </List>
    </Page>
  );
}
