// A secret that is shown once, in this dialog only.

import type { ReactNode } from "react";
import { Button } from "./Button";
import { Code } from "./Code";
import { Actions, Dialog } from "./Dialog";
import { Note } from "./Note";

interface SecretDialogProps {
  title: string;
  /** A note that it is shown once. */
  once: string;
  secrets: readonly { label: string; value: string }[];
  done: string;
  onClose: () => void;
  children?: ReactNode;
}

export function SecretDialog({ title, once, secrets, done, onClose, children }: SecretDialogProps) {
  return (
    <Dialog wide title={title} isOpen>
      <Note tone="warning">{once}</Note>
      {secrets.map(({ label, value }) => (
        <div key={label}>
          <h3>{label}</h3>
          <Code value={value} label={label} />
        </div>
      ))}
      {children}
      <Actions>
        <Button look="primary" onPress={onClose}>
          {done}
        </Button>
      </Actions>
    </Dialog>
  );
}
