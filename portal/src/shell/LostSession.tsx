// The sign-in dialog above a page after its session ended; afterwards, waiting requests continue.
// If another user signs in, the portal is reloaded, so nothing of the first user stays.

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
