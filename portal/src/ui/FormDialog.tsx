import type { ReactNode } from "react";
import { text } from "../text/text";
import { Button, type Look } from "./Button";
import { Actions, Dialog } from "./Dialog";
import { Form } from "./Form";

interface FormDialogProps {
  title: string;
  /** The verb on the button. */
  submit: string;
  look?: Look;
  /** Whether it has a table. */
  wide?: boolean;
  /** Whether something must be filled in first. */
  isDisabled?: boolean;
  /** Why it cannot be done, beside the button. */
  why?: string | undefined;
  /** Whether nothing can be done here, as the content says: there is nothing but to close it. */
  isRefused?: boolean;
  /** Closes the dialog itself, or shows what has come of it in its place. */
  onSubmit: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** A form above the page, which can be left. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    submit,
    look = "primary",
    wide = false,
    isDisabled = false,
    why,
    isRefused = false,
    onSubmit,
    onClose,
    children,
  } = props;
  return (
    <Dialog title={title} isOpen onClose={onClose} wide={wide}>
      <Form onSubmit={onSubmit}>
        {(isPending) => (
          <>
            {children}
            <Actions>
              {!isRefused && (
                <Button
                  type="submit"
                  look={look}
                  isPending={isPending}
                  isDisabled={isDisabled}
                  why={why}
                >
                  {submit}
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
