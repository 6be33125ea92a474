// The APIs that one may call. Search, filters and order are the server's, and in the address.

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { type CatalogueSearch, catalogue } from "../../api/queries/catalogue";
import { paths } from "../../paths";
import { type Change, changed } from "../../search_parameters";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Filters } from "../../ui/Filters";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { VersionCards } from "./VersionCards";

const route = getRouteApi("/shell/anyone/");
const words = text.developer.catalogue;

export function CataloguePage() {
  const search = route.useSearch();
  const query = useInfiniteQuery(catalogue(search));
  const isNarrowed = Boolean(search.q ?? search.kind ?? search.state);
  return (
    <Page title={words.title} lead={words.lead}>
      <CatalogueFilters search={search} />
      <Loaded query={query}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Card>
              {isNarrowed ? (
                <Empty action={<ButtonLink {...paths.catalogue()}>{words.all}</ButtonLink>}>
                  {words.noHit}
                </Empty>
              ) : (
                <Empty>{words.empty}</Empty>
              )}
            </Card>
          ) : (
            <>
              <VersionCards entries={items} />
              <More
                shown={items.length}
                total={total}
                isPending={query.isFetchingNextPage}
                onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function CatalogueFilters({ search }: { search: CatalogueSearch }) {
  const navigate = route.useNavigate();
  const narrow = useCallback(
    (change: Change<CatalogueSearch>) => {
      // Each letter typed is no step of Back.
      void navigate({ search: (before) => changed(before, change), replace: "q" in change });
    },
    [navigate],
  );
  const onSearch = useCallback((q: string) => narrow({ q: q || undefined }), [narrow]);
  const { kinds, states } = text.nouns;
  return (
    <Filters>
      <SearchField label={words.search} value={search.q ?? ""} onSearch={onSearch} />
      <Select
        label={words.kind}
        isLabelHidden
        value={search.kind ?? "all"}
        choices={[
          { value: "all", label: words.anyKind },
          { value: "rest", label: kinds.rest },
          { value: "soap", label: kinds.soap },
          { value: "soap_to_rest", label: kinds.soap_to_rest },
        ]}
        onChange={(kind) => narrow({ kind: kind === "all" ? undefined : kind })}
      />
      <Select
        label={words.state}
        isLabelHidden
        value={search.state ?? "all"}
        choices={[
          { value: "all", label: words.anyState },
          { value: "published", label: states.published },
          { value: "prototyped", label: states.prototyped },
          { value: "deprecated", label: states.deprecated },
        ]}
        onChange={(state) => narrow({ state: state === "all" ? undefined : state })}
      />
      <Select
        label={words.sort}
        isLabelHidden
        value={search.sort === "-created" ? "-created" : "name"}
        choices={[
          { value: "name", label: words.byName },
          { value: "-created", label: words.newest },
        ]}
        onChange={(sort) => narrow({ sort: sort === "name" ? undefined : sort })}
      />
    </Filters>
  );
}
