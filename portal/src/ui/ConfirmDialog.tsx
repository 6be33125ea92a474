// A confirmation before something ends. If it cannot be undone, its name must be typed.

import { type ReactNode, useState } from "react";
import { text } from "../text/text";
import { Dialog } from "./Dialog";
import { TextField } from "./Field";
import { DialogForm } from "./FormDialog";
import styles from "./ConfirmDialog.module.css";

interface ConfirmFormProps {
  /** The impact, with counts. */
  children: ReactNode;
  /** Label of the button: a verb. */
  confirm: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  /** Text to type before the button is enabled. */
  typed?: string | undefined;
  /** Whether the impact is not known yet. */
  isDisabled?: boolean;
  /** Whether the dry run was refused, so that there is nothing to confirm. */
  isRefused?: boolean;
}

interface ConfirmDialogProps extends ConfirmFormProps {
  title: string;
}

export function ConfirmDialog({ title, ...form }: ConfirmDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={form.onClose}>
      <ConfirmForm {...form} />
    </Dialog>
  );
}

/** The form of a dialog that opens before its content is known. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { children, confirm, onConfirm, onClose, typed, isDisabled, isRefused = false } = props;
  const [name, setName] = useState("");
  const isTyped = typed === undefined || name === typed;
  const submit = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <DialogForm
      submit={confirm}
      look="danger"
      isDisabled={!isTyped || (isDisabled ?? false)}
      isRefused={isRefused}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={styles["ends"]}>{children}</div>
      {typed !== undefined && !isRefused && (
        <TextField
          label={text.ui.typeName(typed)}
          value={name}
          onChange={setName}
          autoComplete="off"
        />
      )}
    </DialogForm>
  );
}
