// The session has ended under an open page: somebody signs in above it, and what waited goes on.

import { useSyncExternalStore } from "react";
import { isSessionLost, subscribe } from "../api/session";
import { SignInForm } from "../account/SignInForm";
import { text } from "../text/text";
import { Dialog } from "../ui/Dialog";

export function LostSession() {
  const isLost = useSyncExternalStore(subscribe, isSessionLost);
  return (
    <Dialog title={text.signIn.again} isOpen={isLost}>
      <p>{text.signIn.againLead}</p>
      <SignInForm onSignedIn={() => undefined} />
    </Dialog>
  );
}
