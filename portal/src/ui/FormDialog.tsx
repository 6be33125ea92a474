import type { ReactNode } from "react";
import { text } from "../text/text";
import { Button, type Look } from "./Button";
import { Actions, Dialog } from "./Dialog";
import { Form } from "./Form";

interface FormDialogProps {
  title: string;
  /** Label of the button: a verb. */
  submit: string;
  look?: Look;
  /** Whether it is wide enough for a table. */
  wide?: boolean;
  /** Whether required input is missing. */
  isDisabled?: boolean;
  /** Why it cannot be submitted, shown beside the button. */
  why?: string | undefined;
  /** Whether the action is refused, as the content explains: the dialog can only be closed. */
  isRefused?: boolean;
  /** Submits, then closes the dialog or replaces it with the result. */
  onSubmit: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** A form above the page that can be cancelled. */
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
