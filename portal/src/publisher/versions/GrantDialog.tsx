// The scopes by approval that a subscription is granted.

import { useState } from "react";
import { type Subscription, grantScopes } from "../../api/queries/subscribers";
import { text } from "../../text/text";
import { CheckboxGroup } from "../../ui/Checkbox";
import { FormDialog } from "../../ui/FormDialog";
import { inForce } from "../../ui/in_force";

const words = text.publisher.version.subscriptions.grant;

interface GrantDialogProps {
  subscription: Subscription;
  /** The scopes that the version grants by approval. */
  byApproval: readonly string[];
  onClose: () => void;
}

export function GrantDialog({ subscription, byApproval, onClose }: GrantDialogProps) {
  const { id, application_name: name, scopes } = subscription;
  const [granted, setGranted] = useState<readonly string[]>(scopes);
  // Granted scopes stay listed even if the draft no longer has them.
  const shown = [...new Set([...byApproval, ...scopes])].sort();
  const submit = async () => {
    await inForce(grantScopes(id, [...granted]), words.done(name));
    onClose();
  };
  return (
    <FormDialog
      title={words.label(name)}
      submit={words.confirm}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.lead(name)}</p>
      <CheckboxGroup
        label={words.choices}
        value={granted}
        onChange={setGranted}
        choices={shown.map((scope) => ({ value: scope, label: scope }))}
        pointer=""
      />
    </FormDialog>
  );
}
