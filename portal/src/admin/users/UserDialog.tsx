// Actions on a user: roles, a new one-time password, disabling and enabling, deletion.

import { useState } from "react";
import { type User, updateUser } from "../../api/queries/users";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { CheckboxGroup } from "../../ui/Checkbox";
import { Actions, Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { notify } from "../../ui/Notices";
import { DeleteUser, Disable, Enable } from "./UserEnds";
import styles from "./UserDialog.module.css";
import { ROLE_CHOICES, rolesOf } from "./roles";

const words = text.admin.users;

interface UserDialogProps {
  user: User;
  /** Called with the user, including the new one-time password. */
  onPassword: (user: User) => void;
  onClose: () => void;
}

type Part = "all" | "disable" | "delete";

export function UserDialog({ user, onPassword, onClose }: UserDialogProps) {
  const [part, setPart] = useState<Part>("all");
  if (part === "disable") return <Disable user={user} onClose={onClose} />;
  if (part === "delete") return <DeleteUser user={user} onClose={onClose} />;
  return (
    <Dialog title={words.changeOf(user.name)} isOpen onClose={onClose}>
      <Roles user={user} onClose={onClose} />
      <section className={styles["part"]}>
        <h3>{words.password}</h3>
        <p>{words.passwordLead}</p>
        <NewPassword user={user} onPassword={onPassword} onClose={onClose} />
      </section>
      <section className={styles["part"]}>
        <h3>{words.access}</h3>
        {user.disabled ? (
          <Enable user={user} onClose={onClose} />
        ) : (
          <>
            <p>{words.disableLead}</p>
            <div>
              <Button look="danger" onPress={() => setPart("disable")}>
                {words.disable}
              </Button>
            </div>
          </>
        )}
      </section>
      <section className={styles["part"]}>
        <h3>{words.end}</h3>
        <p>{words.deleteLead}</p>
        <div>
          <Button look="danger" onPress={() => setPart("delete")}>
            {words.delete}
          </Button>
        </div>
      </section>
    </Dialog>
  );
}

function Roles({ user, onClose }: { user: User; onClose: () => void }) {
  const [roles, setRoles] = useState<string[]>(user.roles);
  const isDirty = [...roles].sort().join() !== [...user.roles].sort().join();
  const save = async () => {
    await updateUser(user.id, { roles: rolesOf(roles) });
    notify(words.rolesSaved(user.name));
    onClose();
  };
  return (
    <Form onSubmit={save}>
      {(isPending) => (
        <>
          <CheckboxGroup
            label={words.roles}
            value={roles}
            onChange={setRoles}
            choices={ROLE_CHOICES}
            pointer="/roles"
          />
          <Actions>
            <Button
              type="submit"
              look="primary"
              isPending={isPending}
              why={isDirty ? undefined : text.ui.noChanges}
            >
              {words.saveRoles}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

function NewPassword({ user, onPassword, onClose }: UserDialogProps) {
  const reset = async () => {
    const now = await updateUser(user.id, { reset_password: true });
    onClose();
    onPassword(now);
  };
  return (
    <Form onSubmit={reset}>
      {(isPending) => (
        <div>
          <Button type="submit" isPending={isPending}>
            {words.reset}
          </Button>
        </div>
      )}
    </Form>
  );
}
