import { useState } from "react";
import { type User, createUser } from "../../api/queries/users";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Actions, Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { ROLE_CHOICES, rolesOf } from "./roles";

const words = text.admin.users;

interface NewUserProps {
  /** Gets the user with the one-time password. */
  onMade: (user: User) => void;
  onClose: () => void;
}

export function NewUser({ onMade, onClose }: NewUserProps) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<string[]>(["developer"]);
  const submit = async () => {
    const made = await createUser(name, rolesOf(roles));
    onClose();
    onMade(made);
  };
  return (
    <Dialog title={words.makeTitle} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <TextField
              label={words.name}
              value={name}
              onChange={setName}
              pointer="/name"
              hint={words.nameHint}
              autoComplete="off"
              autoFocus
            />
            <CheckboxGroup
              label={words.roles}
              value={roles}
              onChange={setRoles}
              choices={ROLE_CHOICES}
              pointer="/roles"
            />
            <Actions>
              <Button type="submit" look="primary" isPending={isPending}>
                {words.makeIt}
              </Button>
              <Button onPress={onClose}>{text.ui.cancel}</Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
