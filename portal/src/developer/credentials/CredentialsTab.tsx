// An application's credentials of one kind: active ones, expired or revoked ones, and their
// actions.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Credential } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { count } from "../../text/format";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Disclosure } from "../../ui/Disclosure";
import { Empty } from "../../ui/Empty";
import { Loaded } from "../../ui/Loaded";
import { SecretDialog } from "../../ui/SecretDialog";
import { useNow } from "../../ui/Time";
import { ApplicationFrame } from "../applications/ApplicationFrame";
import { ChangeDialog } from "./ChangeDialog";
import { CredentialTable } from "./CredentialTable";
import { RevokeDialog, VoidDialog } from "./EndDialogs";
import { MakeDialog } from "./MakeDialog";
import { RotateDialog, Rotated } from "./RotateDialog";
import type { Kind, Open } from "./kind";
import { hasEnded } from "./state";

const words = text.developer.credentials;

interface CredentialsTabProps<C extends Credential, Extra> {
  application: string;
  kind: Kind<C, Extra>;
  /** Name of the tab. */
  tab: string;
}

export function CredentialsTab<C extends Credential, Extra>(props: CredentialsTabProps<C, Extra>) {
  const { application, kind, tab } = props;
  const [open, setOpen] = useState<Open<C> | null>(null);
  const actions = (
    <>
      {kind.voidAllTokens && (
        <Button onPress={() => setOpen({ what: "void-all" })}>
          {text.ui.withEllipsis(words.voidAll)}
        </Button>
      )}
      <Button look="primary" onPress={() => setOpen({ what: "make" })}>
        {kind.words.make}
      </Button>
    </>
  );
  return (
    <ApplicationFrame id={application} tab={tab} actions={() => actions}>
      {() => (
        <>
          <List application={application} kind={kind} onOpen={setOpen} />
          {open && <Dialogs application={application} kind={kind} open={open} onOpen={setOpen} />}
        </>
      )}
    </ApplicationFrame>
  );
}

interface ListProps<C extends Credential, Extra> {
  application: string;
  kind: Kind<C, Extra>;
  onOpen: (open: Open<C>) => void;
}

function List<C extends Credential, Extra>({ application, kind, onOpen }: ListProps<C, Extra>) {
  const query = useQuery(kind.list(application));
  // Pages update their clock in steps; a credential that has just expired must count as expired.
  const now = Math.max(useNow(), query.dataUpdatedAt);
  return (
    <Loaded query={query}>
      {(all) => {
        const ended = all.filter((it) => hasEnded(it, now));
        const live = all.filter((it) => !hasEnded(it, now));
        return (
          <>
            <Card flush>
              {live.length === 0 ? (
                <Empty>{kind.words.empty}</Empty>
              ) : (
                <CredentialTable kind={kind} credentials={live} nowMs={now} onOpen={onOpen} />
              )}
            </Card>
            {ended.length > 0 && (
              <Disclosure title={words.endedOnes(ended.length, count(ended.length))}>
                <Card flush>
                  <CredentialTable kind={kind} credentials={ended} nowMs={now} />
                </Card>
              </Disclosure>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface DialogsProps<C extends Credential, Extra> {
  application: string;
  kind: Kind<C, Extra>;
  open: Open<C>;
  onOpen: (open: Open<C> | null) => void;
}

function Dialogs<C extends Credential, Extra>(props: DialogsProps<C, Extra>) {
  const { application, kind, open, onOpen } = props;
  const close = () => onOpen(null);
  switch (open.what) {
    case "make":
      return (
        <MakeDialog
          application={application}
          kind={kind}
          onMade={(made) => onOpen({ what: "made", made })}
          onClose={close}
        />
      );
    case "made":
      return (
        <SecretDialog
          title={kind.words.madeTitle}
          once={words.once}
          secrets={kind.secrets(open.made)}
          done={words.copied}
          onClose={close}
        />
      );
    case "rotate":
      return (
        <RotateDialog
          kind={kind}
          credential={open.credential}
          onRotated={(made) => onOpen({ what: "rotated", old: open.credential, made })}
          onClose={close}
        />
      );
    case "rotated":
      return (
        <Rotated
          application={application}
          kind={kind}
          old={open.old}
          made={open.made}
          onClose={close}
        />
      );
    case "change":
      return <ChangeDialog kind={kind} credential={open.credential} onClose={close} />;
    case "revoke":
      return <RevokeDialog kind={kind} credential={open.credential} onClose={close} />;
    case "void":
      return (
        <VoidDialog
          title={words.voidTitle(open.credential.name)}
          onVoid={async () => kind.voidTokens?.(open.credential.id)}
          onClose={close}
        />
      );
    case "void-all":
      return (
        <VoidDialog
          title={words.voidAllTitle}
          onVoid={async () => kind.voidAllTokens?.(application)}
          onClose={close}
        />
      );
  }
}
