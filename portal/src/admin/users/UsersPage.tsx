import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { type User, type UsersSearch, users } from "../../api/queries/users";
import { paths } from "../../paths";
import { type Change, changed } from "../../search_parameters";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Filters } from "../../ui/Filters";
import { Loaded } from "../../ui/Loaded";
import { More } from "../../ui/More";
import { Page } from "../../ui/Page";
import { Row } from "../../ui/Row";
import { SearchField } from "../../ui/SearchField";
import { SecretDialog } from "../../ui/SecretDialog";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { NewUser } from "./NewUser";
import { UserDialog } from "./UserDialog";
import { ROLES } from "./roles";

const words = text.admin.users;
const route = getRouteApi("/shell/admin/admin/users");

export function UsersPage() {
  const search = route.useSearch();
  const query = useInfiniteQuery(users(search));
  const [isMaking, setMaking] = useState(false);
  const [changing, setChanging] = useState<User | null>(null);
  // The user whose one-time password is shown, once.
  const [shown, setShown] = useState<User | null>(null);
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <UserFilters search={search} />
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            <Card flush>
              {items.length === 0 ? (
                <Empty action={<ButtonLink {...paths.users()}>{words.all}</ButtonLink>}>
                  {words.noHit}
                </Empty>
              ) : (
                <Table
                  label={words.title}
                  columns={columnsOf(setChanging)}
                  rows={items}
                  keyOf={({ id }) => id}
                />
              )}
            </Card>
            <More
              shown={items.length}
              total={total}
              isPending={query.isFetchingNextPage}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            />
          </>
        )}
      </Loaded>
      {isMaking && <NewUser onMade={setShown} onClose={() => setMaking(false)} />}
      {changing && (
        <UserDialog user={changing} onPassword={setShown} onClose={() => setChanging(null)} />
      )}
      {shown?.one_time_password && (
        <SecretDialog
          title={words.passwordTitle(shown.name)}
          once={words.once}
          secrets={[{ label: words.oneTime, value: shown.one_time_password }]}
          done={words.handed}
          onClose={() => setShown(null)}
        />
      )}
    </Page>
  );
}

function UserFilters({ search }: { search: UsersSearch }) {
  const navigate = route.useNavigate();
  const narrow = useCallback(
    (change: Change<UsersSearch>) => {
      void navigate({ search: (before) => changed(before, change), replace: "q" in change });
    },
    [navigate],
  );
  const onSearch = useCallback((q: string) => narrow({ q: q || undefined }), [narrow]);
  return (
    <Filters>
      <SearchField label={words.search} value={search.q ?? ""} onSearch={onSearch} />
      <Select
        label={words.role}
        isLabelHidden
        value={search.role ?? "all"}
        choices={[
          { value: "all", label: words.anyRole },
          ...ROLES.map((role) => ({ value: role, label: text.nouns.roles[role] })),
        ]}
        onChange={(role) => narrow({ role: role === "all" ? undefined : role })}
      />
    </Filters>
  );
}

function columnsOf(change: (user: User) => void): readonly Column<User>[] {
  return [
    { title: words.name, isName: true, cell: ({ name }) => name },
    {
      title: words.roles,
      cell: ({ roles }) => roles.map((role) => text.nouns.roles[role]).join(", "),
    },
    { title: words.state, cell: (user) => <UserState user={user} /> },
    { title: words.made, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "",
      cell: (user) => (
        <Row>
          <Button small aria-label={words.changeOf(user.name)} onPress={() => change(user)}>
            {words.change}
          </Button>
        </Row>
      ),
    },
  ];
}

function UserState({ user: { disabled, password_change } }: { user: User }) {
  if (disabled) return <Badge tone="bad">{words.disabled}</Badge>;
  if (password_change) return <Badge tone="warning">{words.newcomer}</Badge>;
  return <Badge tone="good">{words.enabled}</Badge>;
}
