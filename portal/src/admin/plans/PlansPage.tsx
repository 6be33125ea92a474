import { Link, getRouteApi } from "@tanstack/react-router";
import { type Plan, planList } from "../../api/queries/plans";
import { paths } from "../../paths";
import { termsInWords } from "../../text/limit";
import { planTitle } from "../../text/plan";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { Sentences } from "../../ui/Sentences";
import { type Column, timeColumn } from "../../ui/Table";

const words = text.admin.plans;
const route = getRouteApi("/shell/admin/admin/plans");
const { sort } = text.nouns.filters;

export function PlansPage() {
  const search = route.useSearch();
  const make = (
    <ButtonLink {...paths.newPlan()} look="primary">
      {words.make}
    </ButtonLink>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <List
        list={planList(search)}
        narrow={{ search, label: words.search, noHit: words.noHit, filters: { sort } }}
        empty={words.empty}
        file="plans"
        label={words.title}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Plan>[] = [
  {
    title: words.name,
    isName: true,
    value: ({ name }) => name,
    cell: (plan) => <Link {...paths.plan(plan.id)}>{planTitle(plan)}</Link>,
  },
  {
    title: words.limits,
    value: (plan) => termsInWords(plan).join(". "),
    cell: (plan) => <Sentences of={termsInWords(plan)} />,
  },
  timeColumn(words.changed, ({ updated_at }) => updated_at),
];
