import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type AccessToken,
  accessTokens,
  createAccessToken,
  revokeAccessToken,
} from "../api/queries/access_tokens";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Actions, Dialog } from "../ui/Dialog";
import { Empty } from "../ui/Empty";
import { TextField } from "../ui/Field";
import { Form } from "../ui/Form";
import { Loaded } from "../ui/Loaded";
import { notify } from "../ui/Notices";
import { Page } from "../ui/Page";
import { SecretDialog } from "../ui/SecretDialog";
import { type Column, Table } from "../ui/Table";
import { Time } from "../ui/Time";
import { AccountTabs } from "./AccountTabs";

const words = text.account.token;

export function AccessTokensPage() {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<AccessToken | null>(null);
  const query = useQuery(accessTokens);
  const make = (
    <Button look="primary" onPress={() => setMaking(true)}>
      {words.make}
    </Button>
  );
  return (
    <Page title={text.account.title} tab={text.account.tokens} lead={words.lead} actions={make}>
      <AccountTabs />
      <Loaded query={query}>{({ items }) => <Tokens tokens={items} />}</Loaded>
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
    </Page>
  );
}

function Tokens({ tokens }: { tokens: readonly AccessToken[] }) {
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const columns: Column<AccessToken>[] = [
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
        <Button small onPress={() => setRevoking(token)}>
          {text.ui.asks(words.revoke)}
        </Button>
      ),
    },
  ];
  return (
    <Card flush>
      {tokens.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <Table label={text.account.tokens} columns={columns} rows={tokens} keyOf={({ id }) => id} />
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
    </Card>
  );
}

interface NewTokenProps {
  onMade: (token: AccessToken) => void;
  onClose: () => void;
}

function NewToken({ onMade, onClose }: NewTokenProps) {
  const [name, setName] = useState("");
  return (
    <Dialog title={words.makeTitle} isOpen onClose={onClose}>
      <Form onSubmit={async () => onMade(await createAccessToken(name))}>
        {(isPending) => (
          <>
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              autoFocus
              isRequired
              pointer="/name"
            />
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {words.make}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
