// Tabs that are pages: each has an address of its own.

import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab {
  label: string;
  link: LinkProps;
  /** Whether only this very page is the tab, not those below it. */
  isExact?: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const bar = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    // On a phone the bar scrolls: the present tab is seen, also when the phone is turned.
    const show = () => {
      const { current } = bar;
      const present = current?.querySelector<HTMLElement>("[aria-current]");
      if (!current || !present) return;
      // The bar alone: the page stays where somebody has scrolled it.
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
