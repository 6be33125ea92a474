// Who is signed in: the session's body, its CSRF token, and what waits while a session is lost.

import type { components } from "./schema";

export type Session = components["schemas"]["Session"];
export type Role = components["schemas"]["Role"];

/** `undefined`: not asked yet. `null`: nobody is signed in. */
type Present = Session | null | undefined;

let present: Present;
let isLost = false;
let waiting: (() => void)[] = [];
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function currentSession(): Present {
  return present;
}

/** Whether a session ended while pages were in use, so that somebody should sign in above them. */
export function isSessionLost(): boolean {
  return isLost;
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says who is signed in now. What waited for that goes on, unless it is somebody else. */
export function setSession(session: Session | null): void {
  const isSame = session?.user === present?.user;
  present = session;
  if (session !== null) {
    isLost = false;
    const goOn = isSame ? waiting : [];
    waiting = [];
    for (const resume of goOn) resume();
  }
  tell();
}

/** The session has ended by itself: resolves when somebody has signed in again. */
export function signedInAgain(): Promise<void> {
  isLost = true;
  const again = new Promise<void>((resolve) => waiting.push(resolve));
  tell();
  return again;
}
