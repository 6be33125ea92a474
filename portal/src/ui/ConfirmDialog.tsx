// Asks before something ends. What cannot be taken back wants its name typed.

import { type ReactNode, useState } from "react";
import { text } from "../text/text";
import { Button } from "./Button";
import { Actions, Dialog } from "./Dialog";
import { TextField } from "./Field";
import { Form } from "./Form";
import styles from "./ConfirmDialog.module.css";

interface ConfirmDialogProps {
  title: string;
  /** What it ends, with counts. */
  children: ReactNode;
  /** The verb on the button. */
  confirm: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  /** Typed before the button can be pressed. */
  typed?: string | undefined;
  /** Whether the dry run was refused, so that there is nothing to confirm. */
  isRefused?: boolean;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, onConfirm, onClose, typed, isRefused } = props;
  const [name, setName] = useState("");
  const isTyped = typed === undefined || name === typed;
  const submit = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {(isPending) => (
          <>
            <div className={styles["ends"]}>{children}</div>
            {typed !== undefined && !isRefused && (
              <TextField
                label={text.ui.typeName(typed)}
                value={name}
                onChange={setName}
                autoComplete="off"
              />
            )}
            <Actions>
              {!isRefused && (
                <Button type="submit" look="danger" isPending={isPending} isDisabled={!isTyped}>
                  {confirm}
                </Button>
              )}
              <Button onPress={onClose}>{isRefused ? text.ui.close : text.ui.cancel}</Button>
            </Actions>
          </>
        )}
      </Form>
    </Dialog>
  );
}
