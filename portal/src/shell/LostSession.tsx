// The session has ended under an open page: somebody signs in above it, and what waited goes on.
// What somebody else left behind is nobody's: the portal begins anew then.

import { useSyncExternalStore } from "react";
import { currentSession, isSessionLost, subscribe } from "../api/session";
import { SignInForm } from "../account/SignInForm";
import { text } from "../text/text";
import { Dialog } from "../ui/Dialog";

export function LostSession() {
  const isLost = useSyncExternalStore(subscribe, isSessionLost);
  const before = currentSession()?.user;
  return (
    <Dialog title={text.signIn.again} isOpen={isLost}>
      <p>{text.signIn.againLead}</p>
      <SignInForm
        onSignedIn={({ user }) => {
          if (user !== before) location.assign("/");
        }}
      />
    </Dialog>
  );
}
