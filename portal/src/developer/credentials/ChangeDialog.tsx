import { useState } from "react";
import type { Credential } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { FormDialog } from "../../ui/FormDialog";
import { inForce } from "../../ui/in_force";
import { TermsFields } from "./TermsFields";
import type { Kind } from "./kind";
import { changes, termsOf } from "./terms";

const words = text.developer.credentials;

interface ChangeDialogProps<C extends Credential, Extra> {
  kind: Kind<C, Extra>;
  credential: C;
  onClose: () => void;
}

export function ChangeDialog<C extends Credential, Extra>(props: ChangeDialogProps<C, Extra>) {
  const { kind, credential, onClose } = props;
  const [before] = useState(() => termsOf(credential));
  const [terms, setTerms] = useState(before);
  const [extra, setExtra] = useState(() => kind.extraOf(credential));
  const submit = async () => {
    const patch = changes(before, terms, Date.now());
    await inForce(kind.change(credential.id, patch, extra), words.changed);
    onClose();
  };
  return (
    <FormDialog
      title={words.changeTitle(credential.name)}
      submit={text.ui.save}
      onSubmit={submit}
      onClose={onClose}
    >
      <TermsFields terms={terms} onChange={setTerms} isNew={false}>
        {kind.Fields && <kind.Fields value={extra} onChange={setExtra} isNew={false} />}
      </TermsFields>
    </FormDialog>
  );
}
