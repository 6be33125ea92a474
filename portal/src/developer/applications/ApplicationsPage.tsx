import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { type Application, applications } from "../../api/queries/applications";
import { usage } from "../../api/queries/usage";
import { paths } from "../../paths";
import { changed } from "../../search_parameters";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Filters } from "../../ui/Filters";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { NewApplicationDialog } from "./NewApplicationDialog";
import { type Calls, NO_CALLS, callsByApplication } from "./sums";

const route = getRouteApi("/shell/developer/applications");
const words = text.developer.applications;

export function ApplicationsPage() {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const [isMaking, setMaking] = useState(false);
  const query = useInfiniteQuery(applications(q));
  const onSearch = useCallback(
    (typed: string) => {
      void navigate({
        search: (before) => changed(before, { q: typed || undefined }),
        replace: true,
      });
    },
    [navigate],
  );
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <Filters>
        <SearchField label={words.search} value={q ?? ""} onSearch={onSearch} />
      </Filters>
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            <Card flush>
              {items.length === 0 ? (
                <Empty>{q ? words.noHit : words.empty}</Empty>
              ) : (
                <Applications applications={items} />
              )}
            </Card>
            {items.length > 0 && (
              <More
                shown={items.length}
                total={total}
                isPending={query.isFetchingNextPage}
                onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              />
            )}
          </>
        )}
      </Loaded>
      {isMaking && <NewApplicationDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

const DAY_S = 86_400;
/** One question for the figures of all applications. */
const LAST_DAY = usage({ filter: {}, groupBy: ["application", "refusal"], seconds: DAY_S });

function Applications({ applications: rows }: { applications: readonly Application[] }) {
  const figures = useQuery(LAST_DAY);
  const sums = callsByApplication(figures.data?.rows ?? []);
  const figure = (of: (sums: Calls) => number) => (application: Application) =>
    figures.data ? count(of(sums.get(application.id) ?? NO_CALLS)) : "";
  const columns: Column<Application>[] = [
    {
      title: words.name,
      isName: true,
      cell: ({ id, name }) => <Link {...paths.application(id)}>{name}</Link>,
    },
    { title: words.description, cell: ({ description }) => description },
    { title: words.calls, isNumber: true, cell: figure(({ calls }) => calls) },
    { title: words.refused, isNumber: true, cell: figure(({ refused }) => refused) },
    { title: words.made, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return <Table label={words.list} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
