import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { STATES, type VersionOverview, overview } from "../../api/queries/overview";
import { CallsCard } from "../../charts/CallsCard";
import { paths } from "../../paths";
import { compact } from "../../text/format";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { List, isUnused } from "../../ui/List";
import { Page } from "../../ui/Page";
import { VersionState } from "../../ui/State";
import type { Column } from "../../ui/Table";
import { LastDay } from "./LastDay";
import { Waits } from "./Waits";
import { ofAllApis } from "./all_apis";
import styles from "./ApisPage.module.css";

const words = text.publisher.apis;
const { single } = text.charts;
const route = getRouteApi("/shell/publisher/publish");
const { kind, state, sort } = text.nouns.filters;

export function ApisPage() {
  const search = route.useSearch();
  const list = overview(search);
  const isNew = isUnused(useInfiniteQuery(list.pages), search);
  const publish = (
    <ButtonLink {...paths.newApi()} look="primary">
      {words.publish}
    </ButtonLink>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={!isNew && publish}>
      {!isNew && <LastDay />}
      <List
        list={list}
        narrow={{
          search,
          label: words.search,
          noHit: words.noHit,
          filters: { kind, state: { ...state, values: STATES }, sort },
        }}
        empty={words.empty}
        action={publish}
        file="apis"
        label={words.title}
        columns={COLUMNS}
        keyOf={({ version }) => version}
      />
      {!isNew && <CallsCard title={single.all} filter={ofAllApis()} isLiveOnly />}
    </Page>
  );
}

const COLUMNS: readonly Column<VersionOverview>[] = [
  {
    title: words.name,
    isName: true,
    value: ({ api_name, name }) => words.named(api_name, name),
    cell: ({ version, api_name, name, context }) => (
      <>
        <Link {...paths.ownVersion(version)}>{words.named(api_name, name)}</Link>
        <code className={styles["path"]}>{`${context}/${name}`}</code>
      </>
    ),
  },
  {
    title: words.kind,
    value: ({ kind }) => text.nouns.kinds[kind],
    cell: ({ kind }) => <span className={styles["kind"]}>{text.nouns.kinds[kind]}</span>,
  },
  {
    title: words.state,
    value: ({ state }) => text.nouns.states[state],
    cell: ({ state }) => <VersionState state={state} />,
  },
  {
    title: words.calls,
    isNumber: true,
    value: ({ calls_last_day: calls }) => calls,
    cell: ({ calls_last_day: calls }) => compact(calls),
  },
  {
    title: words.errors,
    isNumber: true,
    value: ({ errors_last_day: errors }) => errors,
    cell: ({ errors_last_day: errors }) => compact(errors),
  },
  { title: words.waits, cell: (row) => <Waits row={row} /> },
];
