import { useState } from "react";
import { signIn } from "../api/queries/session";
import type { Session } from "../api/session";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Actions } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Form } from "../ui/Form";
import { keepOneTimePassword } from "./one_time";

/** The sign-in form: name and password. */
export function SignInForm({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const words = text.signIn;
  const submit = async () => {
    const session = await signIn(name, password);
    keepOneTimePassword(session.password_change ? password : undefined);
    onSignedIn(session);
  };
  return (
    <Form label={words.title} onSubmit={submit}>
      {(isPending) => (
        <>
          <TextField
            label={words.name}
            value={name}
            onChange={setName}
            name="name"
            autoComplete="username"
            autoFocus
            isRequired
            pointer="/name"
          />
          <TextField
            label={words.password}
            value={password}
            onChange={setPassword}
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            pointer="/password"
          />
          <Actions>
            <Button type="submit" look="primary" isPending={isPending}>
              {words.submit}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
