// Rotation: the new secret works at once, the old one for a grace period, which is chosen here.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Credential, Grace } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { Select } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Note } from "../../ui/Note";
import { SecretDialog } from "../../ui/SecretDialog";
import { Time } from "../../ui/Time";
import type { Kind } from "./kind";
import { LastUse } from "./EndDialogs";

const words = text.developer.credentials;
const GRACES: readonly Grace[] = ["now", "1h", "24h", "7d"];

interface RotateDialogProps<C extends Credential, Extra> {
  kind: Kind<C, Extra>;
  credential: C;
  onRotated: (made: C) => void;
  onClose: () => void;
}

export function RotateDialog<C extends Credential, Extra>(props: RotateDialogProps<C, Extra>) {
  const { kind, credential, onRotated, onClose } = props;
  const [grace, setGrace] = useState<Grace>("24h");
  return (
    <FormDialog
      title={kind.words.rotateTitle(credential.name)}
      submit={words.rotate}
      onSubmit={async () => onRotated(await kind.rotate(credential.id, grace))}
      onClose={onClose}
    >
      <p>{kind.words.rotateNote}</p>
      <Select<Grace>
        label={words.grace}
        value={grace}
        choices={GRACES.map((value) => ({ value, label: words.graces[value] }))}
        onChange={setGrace}
        pointer="/grace"
      />
      <LastUse credential={credential} />
    </FormDialog>
  );
}

interface RotatedProps<C extends Credential, Extra> {
  application: string;
  kind: Kind<C, Extra>;
  old: C;
  made: C;
  onClose: () => void;
}

export function Rotated<C extends Credential, Extra>(props: RotatedProps<C, Extra>) {
  const { application, kind, old, made, onClose } = props;
  const { data, dataUpdatedAt } = useQuery(kind.list(application));
  const present = data?.find(({ id }) => id === old.id);
  const secrets = kind.secrets(made);
  if (secrets.length === 0) {
    return (
      <Dialog title={kind.words.rotatedTitle} isOpen onClose={onClose}>
        {present && <OldOne end={kind.oldEnd(present)} loadedAtMs={dataUpdatedAt} />}
        <p>{kind.words.alreadyRotated}</p>
        <Actions>
          <Button look="primary" onPress={onClose}>
            {text.ui.close}
          </Button>
        </Actions>
      </Dialog>
    );
  }
  return (
    <SecretDialog
      title={kind.words.rotatedTitle}
      once={words.once}
      secrets={secrets}
      done={words.copied}
      onClose={onClose}
    >
      {present && <OldOne end={kind.oldEnd(present)} loadedAtMs={dataUpdatedAt} />}
    </SecretDialog>
  );
}

interface OldOneProps {
  end: string | null | undefined;
  /** When the credential was loaded. */
  loadedAtMs: number;
}

function OldOne({ end, loadedAtMs }: OldOneProps) {
  if (!end || Date.parse(end) <= loadedAtMs) {
    return <Note tone="information">{words.oldEnded}</Note>;
  }
  return (
    <Note tone="information">
      {words.oldEnds} <Time at={end} />. {words.rotatedNote}
    </Note>
  );
}
