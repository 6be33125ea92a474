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
  /** What the present password is called here. */
  currentLabel: string;
  /** The present password, if it was typed a moment ago: it is not asked for again. */
  known?: string | undefined;
  submitLabel: string;
  /** Where it is what the page is for. */
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
  const [isAsked, setAsked] = useState(known === undefined);
  const [next, setNext] = useState("");
  const submit = async () => {
    try {
      await changePassword(current, next);
    } catch (error) {
      // It was changed or reset meanwhile.
      if (Problem.from(error).faultAt("/password")) setAsked(true);
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
          {isAsked && (
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
            {...(autoFocus && !isAsked ? { autoFocus } : {})}
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
