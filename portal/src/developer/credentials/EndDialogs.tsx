import type { Credential } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Time } from "../../ui/Time";
import { Touches } from "../../ui/Touches";
import { inForce } from "../../ui/in_force";
import type { Kind } from "./kind";

const words = text.developer.credentials;

interface EndDialogProps<C extends Credential, Extra> {
  kind: Kind<C, Extra>;
  credential: C;
  onClose: () => void;
}

export function RevokeDialog<C extends Credential, Extra>(props: EndDialogProps<C, Extra>) {
  const { kind, credential, onClose } = props;
  return (
    <ConfirmDialog
      title={kind.words.revokeTitle(credential.name)}
      confirm={words.revoke}
      onConfirm={async () => {
        await inForce(kind.revoke(credential.id), words.revokedNote);
      }}
      onClose={onClose}
    >
      <p>{words.revokeLead}</p>
      <LastUse credential={credential} />
      <p>{words.revokeCounts}</p>
      <Touches query={kind.impactOfRevocation(credential.id)} />
    </ConfirmDialog>
  );
}

interface VoidDialogProps {
  title: string;
  onVoid: () => Promise<void>;
  onClose: () => void;
}

export function VoidDialog({ title, onVoid, onClose }: VoidDialogProps) {
  return (
    <ConfirmDialog
      title={title}
      confirm={words.voidTokens}
      onConfirm={async () => {
        await inForce(onVoid(), words.voided);
      }}
      onClose={onClose}
    >
      {words.voidLead}
    </ConfirmDialog>
  );
}

/** Last use of a credential, which shows whether it is still needed. */
export function LastUse({ credential }: { credential: Credential }) {
  const at = credential.last_used_at;
  if (!at) return <p>{words.neverUsed}</p>;
  return (
    <p>
      {words.lastUsed} <Time at={at} />.
    </p>
  );
}
