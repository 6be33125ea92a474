import { Link, getRouteApi } from "@tanstack/react-router";
import { type Application, allApplications } from "../../api/queries/applications";
import { paths } from "../../paths";
import { limitInWords } from "../../text/limit";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { Sentences } from "../../ui/Sentences";
import { type Column, timeColumn } from "../../ui/Table";

const words = text.admin.applications;
const route = getRouteApi("/shell/admin/admin/applications");
const { sort } = text.nouns.filters;

export function AllApplicationsPage() {
  const search = route.useSearch();
  return (
    <Page title={words.title} lead={words.lead}>
      <List
        list={allApplications(search)}
        narrow={{ search, label: words.search, noHit: words.noHit, filters: { sort } }}
        empty={words.empty}
        file="all-applications"
        label={words.title}
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

const limitsOf = ({ limits }: Application) =>
  limits.map((limit) => limitInWords(limit, "application"));

const COLUMNS: readonly Column<Application>[] = [
  {
    title: words.name,
    isName: true,
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link {...paths.application(id)}>{name}</Link>,
  },
  { title: words.owner, value: ({ owner_name }) => owner_name },
  { title: words.subscriptions, isNumber: true, value: ({ live }) => live.subscriptions },
  {
    title: words.limits,
    value: (application) => limitsOf(application).join(". "),
    cell: (application) =>
      application.limits.length === 0 ? words.none : <Sentences of={limitsOf(application)} />,
  },
  timeColumn(words.made, ({ created_at }) => created_at),
  {
    title: "",
    cell: ({ id, name }) => (
      <ButtonLink {...paths.applicationLimits(id)} small aria-label={words.changeOf(name)}>
        {words.change}
      </ButtonLink>
    ),
  },
];
