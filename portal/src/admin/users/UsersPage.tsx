import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type User, users } from "../../api/queries/users";
import type { Role } from "../../api/session";
import { narrowed } from "../../narrowed";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { Select } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { Page } from "../../ui/Page";
import { SearchField } from "../../ui/SearchField";
import { SecretDialog } from "../../ui/SecretDialog";
import { type Column, Table } from "../../ui/Table";
import { Time } from "../../ui/Time";
import { Pager, Toolbar } from "../../ui/Toolbar";
import { NewUser } from "./NewUser";
import { UserDialog } from "./UserDialog";
import { ROLES } from "./roles";

const words = text.admin.users;
const route = getRouteApi("/shell/admin/admin/users");

export function UsersPage() {
  const search = route.useSearch();
  const query = useQuery(users(search));
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
      <Filters />
      <Loaded query={query}>
        {({ items, total, next }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty>{words.nothingFound}</Empty>
            ) : (
              <>
                <Table
                  label={words.title}
                  columns={columnsOf(setChanging)}
                  rows={items}
                  keyOf={({ id }) => id}
                />
                <Pager shown={text.ui.shown(count(items.length), count(total))}>
                  {search.after && (
                    <ButtonLink {...paths.users(narrowed(search, {}))} small>
                      {text.ui.pager.first}
                    </ButtonLink>
                  )}
                  {next && (
                    <ButtonLink {...paths.users({ ...search, after: next })} small>
                      {text.ui.pager.next}
                    </ButtonLink>
                  )}
                </Pager>
              </>
            )}
          </Card>
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

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const find = (change: { q?: string; role?: Role | "" }) =>
    void navigate({ ...paths.users(narrowed(search, change)), replace: true });
  return (
    <Toolbar>
      <SearchField label={words.search} value={search.q ?? ""} onSearch={(q) => find({ q })} />
      <Select<Role | "">
        label={words.role}
        isLabelHidden
        value={search.role ?? ""}
        choices={[
          { value: "", label: words.anyRole },
          ...ROLES.map((role) => ({ value: role, label: text.nouns.roles[role] })),
        ]}
        onChange={(role) => find({ role })}
      />
    </Toolbar>
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
        <Button small aria-label={words.changeOf(user.name)} onPress={() => change(user)}>
          {words.change}
        </Button>
      ),
    },
  ];
}

function UserState({ user: { disabled, password_change } }: { user: User }) {
  if (disabled) return <Badge tone="bad">{words.disabled}</Badge>;
  if (password_change) return <Badge tone="warning">{words.newcomer}</Badge>;
  return <Badge tone="good">{words.enabled}</Badge>;
}
