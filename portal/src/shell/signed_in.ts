import { redirect } from "@tanstack/react-router";
import type { Session } from "../api/session";
import { paths } from "../paths";

/** Requires a session; otherwise redirects to the sign-in page. */
export function signedIn(session: Session | null, href: string): Session {
  if (session === null) throw redirect(paths.signIn(href));
  return session;
}
