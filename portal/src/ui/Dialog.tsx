// Dialogs above the page: focus stays inside and then returns to the element that opened them.

import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { text } from "../text/text";
import { Button } from "./Button";
import { Icon } from "./Icon";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  isOpen: boolean;
  /** Absent if the dialog cannot be dismissed. */
  onClose?: (() => void) | undefined;
  children: ReactNode;
  wide?: boolean;
}

export function Dialog({ title, isOpen, onClose, children, wide }: DialogProps) {
  const isDismissable = onClose !== undefined;
  return (
    <ModalOverlay
      className={styles["overlay"] ?? ""}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
      isKeyboardDismissDisabled={!isDismissable}
    >
      <Modal className={`${styles["modal"]} ${wide ? styles["wide"] : ""}`}>
        <AriaDialog className={styles["dialog"] ?? ""}>
          <header className={styles["head"]}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {isDismissable && (
              <Button look="quiet" small aria-label={text.ui.close} onPress={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog or form. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>;
}
