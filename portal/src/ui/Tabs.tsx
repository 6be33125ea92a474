// Tabs that are pages: each has an address of its own.

import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab {
  label: string;
  link: LinkProps;
  count?: number | undefined;
  /** Whether only this very page is the tab, not those below it. */
  isExact?: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    // On a phone the tabs scroll: the open one is in sight.
    const present = nav.current?.querySelector("[aria-current]");
    present?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className={styles["tabs"]}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          {...tab.link}
          activeOptions={{ exact: tab.isExact ?? false, includeSearch: false }}
          activeProps={{ className: styles["active"] ?? "", "aria-current": "page" }}
          className={styles["tab"]}
        >
          {tab.label}
          {tab.count !== undefined && <span className={styles["count"]}>{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
