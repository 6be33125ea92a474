// Every route of the portals on one page: address, who may see it, page.
//
// Pages are loaded when they are opened. `paths.ts` makes the links; `tests/pages.ts` lists every page,
// and `cargo xtask tidy` holds the three to each other.

import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { loadSession } from "./api/queries/session";
import type { Role } from "./api/session";
import { forgetCommands } from "./api/commands";
import { paths } from "./paths";
import { BrokenPage } from "./shell/BrokenPage";
import { ForbiddenPage } from "./shell/ForbiddenPage";
import { lazyPage as lazyRouteComponent } from "./shell/lazy_page";
import { NotFoundPage } from "./shell/NotFoundPage";
import { Forbidden } from "./shell/forbidden";
import { Root } from "./shell/Root";
import { Shell } from "./shell/Shell";

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error }) =>
    error instanceof Forbidden ? <ForbiddenPage forbidden={error} /> : <BrokenPage error={error} />,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { from?: string } =>
    typeof search["from"] === "string" ? { from: search["from"] } : {},
  component: lazyRouteComponent(() => import("./account/SignInPage"), "SignInPage"),
});

const changePassword = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/password",
  beforeLoad: async () => {
    if ((await loadSession()) === null) throw redirect(paths.signIn());
  },
  component: lazyRouteComponent(() => import("./account/ChangePasswordPage"), "ChangePasswordPage"),
});

/** What is below is for people who are signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ location }) => {
    const session = await loadSession();
    if (session === null) throw redirect(paths.signIn(location.href));
    if (session.password_change) throw redirect(paths.changePassword());
    return { session };
  },
  component: Shell,
});

/** An area, for people with one of these roles. */
function area(id: string, ...roles: [Role, ...Role[]]) {
  return createRoute({
    getParentRoute: () => shell,
    id,
    beforeLoad: ({ context }) => {
      const may = context.session.roles.some((role) => roles.includes(role));
      if (!may) throw new Forbidden(roles[0]);
    },
  });
}

const anyone = createRoute({ getParentRoute: () => shell, id: "anyone" });
const admin = area("admin", "administrator");

const account = createRoute({
  getParentRoute: () => anyone,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/AccountPage"), "AccountPage"),
});

const accessTokens = createRoute({
  getParentRoute: () => anyone,
  path: "/account/access-tokens",
  component: lazyRouteComponent(() => import("./account/AccessTokensPage"), "AccessTokensPage"),
});

const catalogue = createRoute({
  getParentRoute: () => anyone,
  path: "/",
  component: lazyRouteComponent(
    () => import("./developer/catalogue/CataloguePage"),
    "CataloguePage",
  ),
});

const status = createRoute({
  getParentRoute: () => admin,
  path: "/admin",
  component: lazyRouteComponent(() => import("./admin/StatusPage"), "StatusPage"),
});

const tree = root.addChildren([
  signIn,
  changePassword,
  shell.addChildren([
    anyone.addChildren([account, accessTokens, catalogue]),
    admin.addChildren([status]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultStructuralSharing: true,
});

router.subscribe("onBeforeLoad", ({ pathChanged }) => {
  if (pathChanged) forgetCommands();
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
