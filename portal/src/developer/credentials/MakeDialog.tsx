import { useState } from "react";
import type { Credential } from "../../api/queries/credentials";
import { FormDialog } from "../../ui/FormDialog";
import { TermsFields } from "./TermsFields";
import type { Kind } from "./kind";
import { NEW_TERMS, newCredential } from "./terms";

interface MakeDialogProps<C extends Credential, Extra> {
  application: string;
  kind: Kind<C, Extra>;
  onMade: (made: C) => void;
  onClose: () => void;
}

export function MakeDialog<C extends Credential, Extra>(props: MakeDialogProps<C, Extra>) {
  const { application, kind, onMade, onClose } = props;
  const [terms, setTerms] = useState(NEW_TERMS);
  const [extra, setExtra] = useState(kind.newExtra);
  const submit = async () => {
    onMade(await kind.create(application, newCredential(terms, Date.now()), extra));
  };
  return (
    <FormDialog
      title={kind.words.makeTitle}
      submit={kind.words.make}
      onSubmit={submit}
      onClose={onClose}
    >
      <TermsFields terms={terms} onChange={setTerms} isNew>
        {kind.Fields && <kind.Fields value={extra} onChange={setExtra} isNew />}
      </TermsFields>
    </FormDialog>
  );
}
