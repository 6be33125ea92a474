// Confirms leaving a page with unsaved input, also by Back or by closing the window.

import { useBlocker } from "@tanstack/react-router";
import { text } from "../text/text";
import { Button } from "./Button";
import { Actions, Dialog } from "./Dialog";

export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  const words = text.ui.leave;
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog title={words.title} isOpen onClose={blocker.reset}>
      <p>{words.lead}</p>
      <Actions>
        <Button autoFocus onPress={blocker.reset}>
          {words.stay}
        </Button>
        <Button look="danger" onPress={blocker.proceed}>
          {words.leave}
        </Button>
      </Actions>
    </Dialog>
  );
}
