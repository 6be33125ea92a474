// The routes that all others are below: the frame of pages, and who may see them.

import { createRootRoute, createRoute, redirect } from "@tanstack/react-router";
import { loadSession } from "./api/queries/session";
import type { Role, Session } from "./api/session";
import { queryClient } from "./api/query_client";
import { portal } from "./api/queries/portal";
import { paths } from "./paths";
import { BrokenPage } from "./shell/BrokenPage";
import { ForbiddenPage } from "./shell/ForbiddenPage";
import { NotFoundPage } from "./shell/NotFoundPage";
import { Forbidden } from "./shell/forbidden";
import { Root } from "./shell/Root";
import { Shell } from "./shell/Shell";

export const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error }) =>
    error instanceof Forbidden ? <ForbiddenPage forbidden={error} /> : <BrokenPage error={error} />,
});

export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async () => {
    const session = await loadSession();
    if (session?.password_change) throw redirect(paths.changePassword());
    return { session };
  },
  component: Shell,
});

/** Requires a session; otherwise redirects to the sign-in page. */
function signedIn(session: Session | null, href: string): Session {
  if (session === null) throw redirect(paths.signIn(href));
  return session;
}

/** Creates an area for users with one of these roles. */
function area<const Id extends string>(id: Id, ...roles: [Role, ...Role[]]) {
  return createRoute({
    getParentRoute: () => shell,
    id,
    beforeLoad: ({ context, location }) => {
      const session = signedIn(context.session, location.href);
      const may = session.roles.some((role) => roles.includes(role));
      if (!may) throw new Forbidden(roles[0]);
    },
  });
}

export const anyone = createRoute({
  getParentRoute: () => shell,
  id: "anyone",
  beforeLoad: ({ context, location }) => {
    signedIn(context.session, location.href);
  },
});

/** Pages that visitors can also see if the operator opens the catalogue. */
export const visitors = createRoute({
  getParentRoute: () => shell,
  id: "visitors",
  beforeLoad: async ({ context, location }) => {
    if (context.session !== null) return;
    const { parts } = await queryClient.query(portal);
    if (!parts.open_catalogue) throw redirect(paths.signIn(location.href));
  },
});

export const publisher = area("publisher", "publisher", "administrator");
export const developer = area("developer", "developer", "publisher", "administrator");
export const admin = area("admin", "administrator");
