import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { KINDS, type Kind } from "../../api/queries/apis";
import { STATES, type VersionOverview, overview } from "../../api/queries/overview";
import type { State } from "../../api/queries/versions";
import { narrowed } from "../../narrowed";
import { paths } from "../../paths";
import { compact, count } from "../../text/format";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { VersionState } from "../../ui/State";
import { type Column, Table } from "../../ui/Table";
import { Pager, Toolbar } from "../../ui/Toolbar";
import styles from "./ApisPage.module.css";

const words = text.publisher.apis;
const route = getRouteApi("/shell/publisher/publish");

export function ApisPage() {
  const search = route.useSearch();
  const query = useQuery(overview(search));
  const isFiltered = Object.keys(search).length > 0;
  const isNew = query.data?.items.length === 0 && !isFiltered;
  return (
    <Page title={words.title} lead={words.lead} actions={!isNew && <PublishLink />}>
      {!isNew && <Filters />}
      <Loaded query={query}>
        {({ items, total, next }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty action={isNew && <PublishLink />}>
                {isNew ? words.empty : words.nothingFound}
              </Empty>
            ) : (
              <>
                <Table
                  label={words.title}
                  columns={COLUMNS}
                  rows={items}
                  keyOf={({ version }) => version}
                />
                <Pager shown={text.ui.shown(count(items.length), count(total))}>
                  {search.after && (
                    <ButtonLink {...paths.ownApis(narrowed(search, {}))} small>
                      {text.ui.pager.first}
                    </ButtonLink>
                  )}
                  {next && (
                    <ButtonLink {...paths.ownApis({ ...search, after: next })} small>
                      {text.ui.pager.next}
                    </ButtonLink>
                  )}
                </Pager>
              </>
            )}
          </Card>
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

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const find = (change: { q?: string; kind?: Kind | ""; state?: State | "" }) =>
    void navigate({ ...paths.ownApis(narrowed(search, change)), replace: true });
  return (
    <Toolbar>
      <SearchField label={words.search} value={search.q ?? ""} onSearch={(q) => find({ q })} />
      <Select<Kind | "">
        label={words.kind}
        isLabelHidden
        value={search.kind ?? ""}
        choices={KIND_CHOICES}
        onChange={(kind) => find({ kind })}
      />
      <Select<State | "">
        label={words.state}
        isLabelHidden
        value={search.state ?? ""}
        choices={STATE_CHOICES}
        onChange={(state) => find({ state })}
      />
    </Toolbar>
  );
}

const KIND_CHOICES = [
  { value: "" as const, label: words.anyKind },
  ...KINDS.map((kind) => ({ value: kind, label: text.nouns.kinds[kind] })),
];

const STATE_CHOICES = [
  { value: "" as const, label: words.anyState },
  ...STATES.map((state) => ({ value: state, label: text.nouns.states[state] })),
];

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
  { title: words.kind, cell: ({ kind }) => text.nouns.kinds[kind] },
  { title: words.state, cell: ({ state }) => <VersionState state={state} /> },
  { title: words.calls, isNumber: true, cell: ({ calls_last_day: calls }) => compact(calls) },
  { title: words.errors, isNumber: true, cell: ({ errors_last_day: errors }) => compact(errors) },
  { title: words.waits, cell: (row) => <Waits row={row} /> },
];

/** What waits to be done about a version. */
function Waits({ row: { version, has_changes, pending_subscriptions: pending } }: WaitsProps) {
  return (
    <span className={styles["waits"]}>
      {has_changes && (
        <Link {...paths.ownVersion(version)}>
          <Badge tone="warning">{words.notDeployed}</Badge>
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
