import { useState } from "react";
import { type User, createUser } from "../../api/queries/users";
import { text } from "../../text/text";
import { CheckboxGroup } from "../../ui/Checkbox";
import { TextField } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { ROLE_CHOICES, rolesOf } from "./roles";

const words = text.admin.users;

interface NewUserProps {
  /** Called with the user, including the one-time password. */
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
    <FormDialog title={words.makeTitle} submit={words.makeIt} onSubmit={submit} onClose={onClose}>
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
    </FormDialog>
  );
}
