import type { ReactNode } from "react";
import { text } from "../text/text";
import { Button, type Look } from "./Button";
import { Actions, Dialog } from "./Dialog";
import { Form } from "./Form";

interface DialogFormProps {
  /** Label of the button: a verb. */
  submit: string;
  look?: Look;
  /** Whether required input is missing, or what the action affects is not known yet. */
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

interface FormDialogProps extends DialogFormProps {
  title: string;
  /** Whether it is wide enough for a table. */
  wide?: boolean;
}

/** A form above the page that can be cancelled. */
export function FormDialog({ title, wide = false, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={form.onClose} wide={wide}>
      <DialogForm {...form} />
    </Dialog>
  );
}

/** The form of a dialog that opens before its fields are known. */
export function DialogForm(props: DialogFormProps) {
  const {
    submit,
    look = "primary",
    isDisabled = false,
    why,
    isRefused = false,
    onSubmit,
    onClose,
    children,
  } = props;
  return (
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
  );
}
