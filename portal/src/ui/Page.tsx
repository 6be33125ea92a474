// The frame of every page: title, breadcrumbs, actions. The kinds of page (list, noun, form,
// wizard, reference, overview) differ in the content below.

import { type ReactNode, useEffect, useRef } from "react";
import { useMatches } from "@tanstack/react-router";
import { Announced } from "./Announced";
import { Breadcrumbs, type Crumb } from "./Breadcrumbs";
import { ShowAsCommand } from "./ShowAsCommand";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** Name of the tab, if several pages share the title. */
  tab?: string;
  /** State, beside the title. */
  state?: ReactNode;
  /** One-line description, below the title. */
  lead?: ReactNode;
  crumbs?: readonly Crumb[];
  /** Buttons, at most one of which is primary. */
  actions?: ReactNode;
  /** Whether it fills a wide window because it has its own columns. */
  isWide?: boolean;
  children: ReactNode;
}

export function Page(props: PageProps) {
  const { title, tab, state, lead, crumbs, actions, isWide, children } = props;
  const name = tab === undefined ? title : `${tab} · ${title}`;
  const heading = useRef<HTMLHeadingElement>(null);
  const route = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  useEffect(() => {
    document.title = `${name} · Tollgate`;
  }, [name]);
  useEffect(() => {
    // A new page is read from its top; a fragment or an autofocus field keeps the focus.
    if (document.activeElement === document.body || document.activeElement?.tagName === "A") {
      heading.current?.focus({ preventScroll: true });
    }
  }, [route]);
  return (
    <div className={styles["page"]} data-wide={isWide}>
      {crumbs && <Breadcrumbs crumbs={crumbs} />}
      <header className={styles["head"]}>
        <div className={styles["titles"]}>
          <div className={styles["title"]}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {state}
          </div>
          {lead && <div className={styles["lead"]}>{lead}</div>}
        </div>
        <div className={styles["actions"]}>
          <ShowAsCommand />
          {actions}
        </div>
      </header>
      <Announced>{name}</Announced>
      {children}
    </div>
  );
}

/** Cards in as many columns as fit. */
export function Grid({
  columns,
  children,
}: {
  columns: "1" | "2" | "3" | "2-1";
  children: ReactNode;
}) {
  return <div className={`${styles["grid"]} ${styles[`columns-${columns}`]}`}>{children}</div>;
}
