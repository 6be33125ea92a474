// Sign-in, sign-out and password changes.

import { queryClient } from "../query_client";
import { client, content } from "../client";
import { Problem } from "../problem";
import { type Session, currentSession, setSession } from "../session";

/** Loads the session once; `null` if nobody is signed in. */
export async function loadSession(): Promise<Session | null> {
  const known = currentSession();
  if (known !== undefined) return known;
  try {
    setSession(await content(client.GET("/api/v1/session")));
  } catch (error) {
    const problem = Problem.from(error);
    if (problem.status !== 401) throw problem;
    setSession(null);
  }
  return currentSession() ?? null;
}

export async function signIn(name: string, password: string): Promise<Session> {
  const session = await content(client.POST("/api/v1/session", { body: { name, password } }));
  // Cached data of another user must not be shown to this one.
  if (currentSession()?.user !== session.user) queryClient.clear();
  setSession(session);
  return session;
}

export async function signOut(): Promise<void> {
  await content(client.DELETE("/api/v1/session"));
  queryClient.clear();
  setSession(null);
}

/** Changes the user's password, which ends the user's other sessions. */
export async function changePassword(password: string, newPassword: string): Promise<void> {
  const body = { password, new_password: newPassword };
  await content(client.PUT("/api/v1/session/password", { body }));
  const session = currentSession();
  if (session) setSession({ ...session, password_change: false });
}
