// A confirmation before something ends. If it cannot be undone, its name must be typed.

import { type ReactNode, useState } from "react";
import { text } from "../text/text";
import { TextField } from "./Field";
import { FormDialog } from "./FormDialog";
import styles from "./ConfirmDialog.module.css";

interface ConfirmDialogProps {
  title: string;
  /** The impact, with counts. */
  children: ReactNode;
  /** Label of the button: a verb. */
  confirm: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  /** Text to type before the button is enabled. */
  typed?: string | undefined;
  /** Whether the dry run was refused, so that there is nothing to confirm. */
  isRefused?: boolean;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, onConfirm, onClose, typed, isRefused = false } = props;
  const [name, setName] = useState("");
  const isTyped = typed === undefined || name === typed;
  const submit = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <FormDialog
      title={title}
      submit={confirm}
      look="danger"
      isDisabled={!isTyped}
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
    </FormDialog>
  );
}
