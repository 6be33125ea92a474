// Tabs that are pages: each has its own address.

import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab {
  label: string;
  link: LinkProps;
  /** Whether only this page belongs to the tab, not its subpages. */
  isExact?: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const bar = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    // On a phone the bar scrolls: keep the current tab visible, also after a rotation.
    const show = () => {
      const { current } = bar;
      const present = current?.querySelector<HTMLElement>("[aria-current]");
      if (!current || !present) return;
      // Scroll only the bar, not the page.
      const spare = current.clientWidth - present.offsetWidth;
      current.scrollLeft = present.offsetLeft - current.offsetLeft - spare / 2;
    };
    show();
    addEventListener("resize", show);
    return () => removeEventListener("resize", show);
  }, [pathname]);
  return (
    <nav ref={bar} aria-label={label} className={styles["tabs"]}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          {...tab.link}
          activeOptions={{ exact: tab.isExact ?? false, includeSearch: false }}
          activeProps={{ className: styles["active"] ?? "", "aria-current": "page" }}
          className={styles["tab"]}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
