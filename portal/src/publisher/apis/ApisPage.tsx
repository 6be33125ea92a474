import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { KINDS } from "../../api/queries/apis";
import {
  type OverviewSearch,
  STATES,
  type VersionOverview,
  overview,
} from "../../api/queries/overview";
import { VersionState } from "../../ui/State";
import { paths } from "../../paths";
import { type Change, changed } from "../../search_parameters";
import { compact } from "../../text/format";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Filters } from "../../ui/Filters";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { type Column, Table } from "../../ui/Table";
import styles from "./ApisPage.module.css";

const words = text.publisher.apis;
const route = getRouteApi("/shell/publisher/publish");

export function ApisPage() {
  const search = route.useSearch();
  const query = useInfiniteQuery(overview(search));
  const isNarrowed = Boolean(search.q ?? search.kind ?? search.state);
  const isNew = query.data?.items.length === 0 && !isNarrowed;
  return (
    <Page title={words.title} lead={words.lead} actions={!isNew && <PublishLink />}>
      {!isNew && <OverviewFilters search={search} />}
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            <Card flush>
              {items.length === 0 ? (
                <Empty action={isNew ? <PublishLink /> : <All />}>
                  {isNew ? words.empty : words.noHit}
                </Empty>
              ) : (
                <Table
                  label={words.title}
                  columns={COLUMNS}
                  rows={items}
                  keyOf={({ version }) => version}
                />
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
    </Page>
  );
}

function PublishLink() {
  return (
    <ButtonLink {...paths.newApi()} look="primary">
      {words.publish}
    </ButtonLink>
  );
}

function All() {
  return <ButtonLink {...paths.ownApis()}>{words.all}</ButtonLink>;
}

function OverviewFilters({ search }: { search: OverviewSearch }) {
  const navigate = route.useNavigate();
  const narrow = useCallback(
    (change: Change<OverviewSearch>) => {
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
          ...KINDS.map((kind) => ({ value: kind, label: kinds[kind] })),
        ]}
        onChange={(kind) => narrow({ kind: kind === "all" ? undefined : kind })}
      />
      <Select
        label={words.state}
        isLabelHidden
        value={search.state ?? "all"}
        choices={[
          { value: "all", label: words.anyState },
          ...STATES.map((state) => ({ value: state, label: states[state] })),
        ]}
        onChange={(state) => narrow({ state: state === "all" ? undefined : state })}
      />
    </Filters>
  );
}

const COLUMNS: readonly Column<VersionOverview>[] = [
  {
    title: words.name,
    isName: true,
    cell: ({ version, api_name, name, context }) => (
      <>
        <Link {...paths.ownVersion(version)}>{words.named(api_name, name)}</Link>
        <code className={styles["path"]}>{`${context}/${name}`}</code>
      </>
    ),
  },
  {
    title: words.kind,
    cell: ({ kind }) => <span className={styles["kind"]}>{text.nouns.kinds[kind]}</span>,
  },
  { title: words.state, cell: ({ state }) => <VersionState state={state} /> },
  { title: words.calls, isNumber: true, cell: ({ calls_last_day: calls }) => compact(calls) },
  { title: words.errors, isNumber: true, cell: ({ errors_last_day: errors }) => compact(errors) },
  { title: words.waits, cell: (row) => <Waits row={row} /> },
];

/** What waits to be done about a version. */
function Waits({ row: { version, changes, pending_subscriptions: pending } }: WaitsProps) {
  if (changes === 0 && pending === 0) return null;
  return (
    <span className={styles["waits"]}>
      {changes > 0 && (
        <Link {...paths.ownVersion(version)}>
          <Badge tone="warning">{words.notDeployed(changes)}</Badge>
        </Link>
      )}
      {pending > 0 && (
        <Link {...paths.versionSubscriptions(version, { status: "pending" })}>
          <Badge tone="warning">{words.pending(pending)}</Badge>
        </Link>
      )}
    </span>
  );
}

interface WaitsProps {
  row: VersionOverview;
}
