import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type User, users } from "../../api/queries/users";
import { text } from "../../text/text";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { List } from "../../ui/List";
import { Page } from "../../ui/Page";
import { Row } from "../../ui/Row";
import { SecretDialog } from "../../ui/SecretDialog";
import { type Column, timeColumn } from "../../ui/Table";
import { NewUser } from "./NewUser";
import { UserDialog } from "./UserDialog";

const words = text.admin.users;
const route = getRouteApi("/shell/admin/admin/users");
const { role, sort } = text.nouns.filters;

export function UsersPage() {
  const search = route.useSearch();
  const [isMaking, setMaking] = useState(false);
  const [changing, setChanging] = useState<User | null>(null);
  // The user with a new one-time password, which is shown once.
  const [shown, setShown] = useState<User | null>(null);
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={make}>
      <List
        list={users(search)}
        narrow={{ search, label: words.search, noHit: words.noHit, filters: { role, sort } }}
        empty={words.noHit}
        file="users"
        label={words.title}
        columns={columnsOf(setChanging)}
        keyOf={({ id }) => id}
      />
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

function columnsOf(change: (user: User) => void): readonly Column<User>[] {
  return [
    { title: words.name, isName: true, value: ({ name }) => name },
    {
      title: words.roles,
      value: ({ roles }) => roles.map((role) => text.nouns.roles[role]).join(", "),
    },
    {
      title: words.state,
      value: (user) => stateOf(user).word,
      cell: (user) => <Badge tone={stateOf(user).tone}>{stateOf(user).word}</Badge>,
    },
    timeColumn(words.made, ({ created_at }) => created_at),
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

function stateOf({ disabled, password_change }: User): { word: string; tone: Tone } {
  if (disabled) return { word: words.disabled, tone: "bad" };
  if (password_change) return { word: words.newcomer, tone: "warning" };
  return { word: words.enabled, tone: "good" };
}
