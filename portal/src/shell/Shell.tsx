// The shell around every page: areas by role, pages of the area, the signed-in user. On a phone the
// side bar becomes a bar with a menu; beside a page with its own columns, a strip with a menu.

import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useState, useSyncExternalStore } from "react";
import { signOut } from "../api/queries/session";
import { currentSession, subscribe } from "../api/session";
import { paths } from "../paths";
import { text } from "../text/text";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { notifyProblem } from "../ui/Notices";
import { areaAt, areasOf, pagesOf } from "./areas";
import { Mark } from "./Mark";
import { SignInLink } from "./SignInLink";
import styles from "./Shell.module.css";

/** Pages that need the width: the side bar is a strip below 1440 px. */
const WITH_STRIP = /^\/apis\/[^/]+\/reference(\/|$)/;

export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [openAt, setOpenAt] = useState(pathname);
  if (openAt !== pathname) {
    setOpenAt(pathname);
    setMenuOpen(false);
  }
  const words = text.ui.shell;
  return (
    <div className={styles["shell"]} data-strip={WITH_STRIP.test(pathname) || undefined}>
      <a className={styles["skip"]} href="#page">
        {words.skip}
      </a>
      <header
        className={styles["bar"]}
        data-open={isMenuOpen || undefined}
        onKeyDown={({ key }) => {
          if (key === "Escape") setMenuOpen(false);
        }}
      >
        <div className={styles["brand"]}>
          <Mark />
          <span className={styles["product"]}>Tollgate</span>
          <span className={styles["menu"]}>
            <Button
              aria-label={words.menu}
              aria-expanded={isMenuOpen}
              onPress={() => setMenuOpen(!isMenuOpen)}
            >
              <Icon name="menu" />
              <span className={styles["word"]}>{words.menu}</span>
            </Button>
          </span>
        </div>
        <Navigation pathname={pathname} />
      </header>
      <main id="page" className={styles["main"]} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

function Navigation({ pathname }: { pathname: string }) {
  const session = useSyncExternalStore(subscribe, currentSession);
  const words = text.ui.shell;
  const roles = session?.roles;
  const seen = areasOf(roles);
  const present = areaAt(pathname, seen);
  return (
    <>
      {seen.length > 1 && (
        <nav aria-label={words.areas} className={styles["areas"]}>
          {seen.map((area) => (
            <Link
              key={area.name}
              {...area.home}
              className={area === present ? styles["presentArea"] : undefined}
              activeProps={{}}
              aria-current={area === present ? "true" : undefined}
            >
              {area.name}
            </Link>
          ))}
        </nav>
      )}
      <nav aria-label={words.pages} className={styles["pages"]}>
        {present &&
          pagesOf(present, roles).map(({ label, link, isExact, below }) => (
            <Link
              key={label}
              {...link}
              activeOptions={{ exact: isExact ?? false, includeSearch: false }}
              activeProps={{ className: styles["present"] ?? "", "aria-current": "page" }}
              {...(below && pathname.startsWith(below) ? { className: styles["present"] } : {})}
            >
              {label}
            </Link>
          ))}
      </nav>
      <div className={styles["foot"]}>
        {session ? (
          <>
            <div className={styles["who"]}>{session.name}</div>
            <Link {...paths.account()} activeProps={{ className: styles["presentAccount"] ?? "" }}>
              {words.account}
            </Link>
            <SignOut />
          </>
        ) : (
          <SignInLink small>{text.signIn.submit}</SignInLink>
        )}
      </div>
    </>
  );
}

function SignOut() {
  const navigate = useNavigate();
  const leave = async () => {
    try {
      await signOut();
      await navigate(paths.signIn());
    } catch (error) {
      notifyProblem(error);
    }
  };
  return (
    <Button look="quiet" small onPress={() => void leave()}>
      {text.ui.shell.signOut}
    </Button>
  );
}
