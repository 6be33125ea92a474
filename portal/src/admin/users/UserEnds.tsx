// Disables, enables and deletes users. Disabling includes a choice whether to suspend the
// credentials of the user's applications.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem";
import {
  type User,
  deleteUser,
  impactOfDeletion,
  impactOfDisabling,
  updateUser,
} from "../../api/queries/users";
import { inForce } from "../../ui/in_force";
import { text } from "../../text/text";
import { Button } from "../../ui/Button";
import { Checkbox } from "../../ui/Checkbox";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Form } from "../../ui/Form";
import { notify } from "../../ui/Notices";
import { RadioGroup } from "../../ui/RadioGroup";
import { Touches } from "../../ui/Touches";

const words = text.admin.users;

interface UserEndProps {
  user: User;
  onClose: () => void;
}

type Decision = "suspend" | "keep";

export function Disable({ user, onClose }: UserEndProps) {
  const [decision, setDecision] = useState<Decision>("suspend");
  return (
    <ConfirmDialog
      title={words.disableTitle(user.name)}
      confirm={words.disableIt}
      onConfirm={() =>
        inForce(
          updateUser(user.id, { disabled: true, credentials: decision }),
          words.disabledNow(user.name),
        )
      }
      onClose={onClose}
    >
      <p>{words.disableLead}</p>
      {decision === "suspend" && <Touches query={impactOfDisabling(user.id)} />}
      <RadioGroup<Decision>
        label={words.credentials}
        value={decision}
        onChange={setDecision}
        choices={[
          { value: "suspend", label: words.suspend, detail: words.suspendDetail },
          { value: "keep", label: words.keep, detail: words.keepDetail },
        ]}
        pointer="/credentials"
      />
    </ConfirmDialog>
  );
}

export function Enable({ user, onClose }: UserEndProps) {
  const [isResumed, setResumed] = useState(true);
  const enable = async () => {
    const patch = { disabled: false, ...(isResumed ? { credentials: "resume" as const } : {}) };
    await inForce(updateUser(user.id, patch), words.enabledNow(user.name));
    onClose();
  };
  return (
    <Form onSubmit={enable}>
      {(isPending) => (
        <>
          <Checkbox isSelected={isResumed} onChange={setResumed} hint={words.resumeHint}>
            {words.resume}
          </Checkbox>
          <div>
            <Button type="submit" isPending={isPending}>
              {words.enable}
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

export function DeleteUser({ user, onClose }: UserEndProps) {
  const { error } = useQuery(impactOfDeletion(user.id));
  return (
    <ConfirmDialog
      title={words.deleteTitle(user.name)}
      confirm={words.deleteIt}
      typed={user.name}
      isRefused={error instanceof Problem && error.status === 409}
      onConfirm={async () => {
        await deleteUser(user.id);
        notify(words.deleted(user.name));
      }}
      onClose={onClose}
    >
      <p>{words.deleteLead}</p>
      <Touches query={impactOfDeletion(user.id)} />
    </ConfirmDialog>
  );
}
