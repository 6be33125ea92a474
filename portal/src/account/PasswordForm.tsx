import { useState } from "react";
import { Problem } from "../api/problem";
import { changePassword } from "../api/queries/session";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Actions } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Form } from "../ui/Form";
import { PasswordField } from "../ui/PasswordField";

interface PasswordFormProps {
  /** Label of the current password. */
  currentLabel: string;
  /** The current password, if it was just entered: the form does not request it again. */
  known?: string | undefined;
  submitLabel: string;
  /** Whether the first field takes the focus. */
  autoFocus?: boolean;
  onChanged: () => void;
}

export function PasswordForm({
  currentLabel,
  known,
  submitLabel,
  autoFocus,
  onChanged,
}: PasswordFormProps) {
  const [current, setCurrent] = useState(known ?? "");
  const [isCurrentNeeded, setCurrentNeeded] = useState(known === undefined);
  const [next, setNext] = useState("");
  const submit = async () => {
    try {
      await changePassword(current, next);
    } catch (error) {
      // It was changed or reset in the meantime.
      if (Problem.from(error).faultAt("/password")) setCurrentNeeded(true);
      throw error;
    }
    setCurrent("");
    setNext("");
    onChanged();
  };
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
          {isCurrentNeeded && (
            <TextField
              label={currentLabel}
              value={current}
              onChange={setCurrent}
              type="password"
              autoComplete="current-password"
              {...(autoFocus ? { autoFocus } : {})}
              isRequired
              pointer="/password"
            />
          )}
          <PasswordField
            label={text.signIn.new}
            value={next}
            onChange={setNext}
            autoComplete="new-password"
            {...(autoFocus && !isCurrentNeeded ? { autoFocus } : {})}
            isRequired
            hint={text.signIn.newHint}
            pointer="/new_password"
          />
          <Actions>
            <Button type="submit" look="primary" isPending={isPending}>
              {submitLabel}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
