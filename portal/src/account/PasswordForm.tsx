import { useState } from "react";
import { changePassword } from "../api/queries/session";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Actions } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Form } from "../ui/Form";

interface PasswordFormProps {
  /** What the present password is called here. */
  currentLabel: string;
  submitLabel: string;
  /** Where it is what the page is for. */
  autoFocus?: boolean;
  onChanged: () => void;
}

export function PasswordForm({
  currentLabel,
  submitLabel,
  autoFocus,
  onChanged,
}: PasswordFormProps) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const submit = async () => {
    await changePassword(current, next);
    setCurrent("");
    setNext("");
    onChanged();
  };
  return (
    <Form onSubmit={submit}>
      {(isPending) => (
        <>
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
          <TextField
            label={text.signIn.new}
            value={next}
            onChange={setNext}
            type="password"
            autoComplete="new-password"
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
