// The current session: its body, its CSRF token, and requests that wait while it is lost.

import type { components } from "./schema";

export type Session = components["schemas"]["Session"];
export type Role = components["schemas"]["Role"];

/** `undefined`: not loaded yet. `null`: nobody is signed in. */
type Present = Session | null | undefined;

let present: Present;
let isLost = false;
let waiting: (() => void)[] = [];
const listeners = new Set<() => void>();

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

export function currentSession(): Present {
  return present;
}

/** Whether the session ended while pages were in use, so the user must sign in above them. */
export function isSessionLost(): boolean {
  return isLost;
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets the session. Waiting requests continue, unless it belongs to another user. */
export function setSession(session: Session | null): void {
  const isSame = session?.user === present?.user;
  present = session;
  if (session !== null) {
    isLost = false;
    const resumed = isSame ? waiting : [];
    waiting = [];
    for (const resume of resumed) resume();
  }
  notifyListeners();
}

/** Marks the session as lost; resolves once the user has signed in again. */
export function signedInAgain(): Promise<void> {
  isLost = true;
  const again = new Promise<void>((resolve) => waiting.push(resolve));
  notifyListeners();
  return again;
}
