// The frame of every page: its title, where it stands, what one does there. The kinds of page
// (list, noun, form, wizard, reference, overview) differ in what they put below.

import { type ReactNode, useEffect, useRef } from "react";
import { useMatches } from "@tanstack/react-router";
import { Announced } from "./Announced";
import { Breadcrumbs, type Crumb } from "./Breadcrumbs";
import { ShowAsCommand } from "./ShowAsCommand";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** Which of the pages under this title it is, where there are several. */
  tab?: string;
  /** Beside the title: its state. */
  state?: ReactNode;
  /** Below the title: what it is, in one line. */
  lead?: ReactNode;
  crumbs?: readonly Crumb[];
  /** At most one of them is primary. */
  actions?: ReactNode;
  /** Whether it takes the room of a wide window: it has columns of its own. */
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
    // A new page is read from its top; a fragment or a field that asked for the focus keeps it.
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

/** Cards beside and below each other, as wide as fits. */
export function Grid({
  columns,
  children,
}: {
  columns: "1" | "2" | "3" | "2-1";
  children: ReactNode;
}) {
  return <div className={`${styles["grid"]} ${styles[`columns-${columns}`]}`}>{children}</div>;
}
