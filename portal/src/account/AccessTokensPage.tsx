import { useState } from "react";
import {
  type AccessToken,
  accessTokens,
  createAccessToken,
  revokeAccessToken,
} from "../api/queries/access_tokens";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { TextField } from "../ui/Field";
import { FormDialog } from "../ui/FormDialog";
import { List } from "../ui/List";
import { notify } from "../ui/Notices";
import { Page } from "../ui/Page";
import { SecretDialog } from "../ui/SecretDialog";
import type { Column } from "../ui/Table";
import { Time } from "../ui/Time";
import { AccountTabs } from "./AccountTabs";

const words = text.account.token;

export function AccessTokensPage() {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<AccessToken | null>(null);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={text.account.title} tab={text.account.tokens} lead={words.lead} actions={make}>
      <AccountTabs />
      <List
        list={accessTokens}
        empty={words.empty}
        label={text.account.tokens}
        columns={columnsOf(setRevoking)}
        keyOf={({ id }) => id}
      />
      {isMaking && (
        <NewToken
          onMade={(token) => {
            setMaking(false);
            setMade(token);
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {made?.token && (
        <SecretDialog
          title={words.madeTitle}
          once={words.once}
          secrets={[{ label: made.name, value: made.token }]}
          done={words.done}
          onClose={() => setMade(null)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={words.revokeTitle(revoking.name)}
          confirm={words.revoke}
          onConfirm={async () => {
            await revokeAccessToken(revoking.id);
            notify(words.revoked);
          }}
          onClose={() => setRevoking(null)}
        >
          {words.revokeLead}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function columnsOf(revoke: (token: AccessToken) => void): readonly Column<AccessToken>[] {
  return [
    { title: words.name, cell: (token) => token.name, isName: true },
    { title: words.hint, cell: (token) => <code>…{token.hint}</code> },
    { title: words.made, cell: (token) => <Time at={token.created_at} /> },
    { title: words.ends, cell: (token) => <Time at={token.expires_at} /> },
    {
      title: words.used,
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : text.ui.never),
    },
    {
      title: "",
      cell: (token) => (
        <Button small onPress={() => revoke(token)}>
          {text.ui.withEllipsis(words.revoke)}
        </Button>
      ),
    },
  ];
}

interface NewTokenProps {
  onMade: (token: AccessToken) => void;
  onClose: () => void;
}

function NewToken({ onMade, onClose }: NewTokenProps) {
  const [name, setName] = useState("");
  return (
    <FormDialog
      title={words.makeTitle}
      submit={words.make}
      onSubmit={async () => onMade(await createAccessToken(name))}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        autoFocus
        isRequired
        pointer="/name"
      />
    </FormDialog>
  );
}
