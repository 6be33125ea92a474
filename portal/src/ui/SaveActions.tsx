import { text } from "../text/text";
import { Button } from "./Button";
import { Actions } from "./Dialog";

interface SaveActionsProps {
  isPending: boolean;
  /** Whether there is something to save. */
  isDirty: boolean;
  /** Restores what is saved; absent for short forms. */
  onUndo?: () => void;
  /** The verb, if it is not Save. */
  submit?: string | undefined;
}

/** The buttons at the end of a form on a page. */
export function SaveActions({ isPending, isDirty, onUndo, submit }: SaveActionsProps) {
  return (
    <Actions>
      <Button
        type="submit"
        look="primary"
        isPending={isPending}
        why={isDirty ? undefined : text.ui.noChanges}
      >
        {submit ?? text.ui.save}
      </Button>
      {isDirty && onUndo && <Button onPress={onUndo}>{text.ui.undo}</Button>}
    </Actions>
  );
}
