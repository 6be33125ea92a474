import { useState } from "react";
import type { Credential } from "../../api/queries/credentials";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Actions, Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
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
    <Dialog title={words.changeTitle(credential.name)} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <TermsFields terms={terms} onChange={setTerms} isNew={false}>
              {kind.Fields && <kind.Fields value={extra} onChange={setExtra} isNew={false} />}
            </TermsFields>
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {text.ui.save}
              </Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
