// The frame of every page: its title, where it stands, what one does there. The kinds of page (list,
// noun, form, wizard, reference, overview) differ in what they put below.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMatches } from "@tanstack/react-router";
import { Announced } from "./Announced";
import { Breadcrumbs, type Crumb } from "./Breadcrumbs";
import { ShowAsCommand } from "./ShowAsCommand";
import { TitlePartProvider } from "./title_part";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** Beside the title: its state. */
  state?: ReactNode;
  /** Below the title: what it is, in one line. */
  lead?: ReactNode;
  crumbs?: readonly Crumb[];
  /** At most one of them is primary. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, state, lead, crumbs, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const route = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  const [part, setPart] = useState<string>();
  const whole = part === undefined ? title : `${part} · ${title}`;
  useEffect(() => {
    document.title = `${whole} · Tollgate`;
  }, [whole]);
  useEffect(() => {
    // A new page is read from its top; a fragment or a field that asked for the focus keeps it.
    if (document.activeElement === document.body || document.activeElement?.tagName === "A") {
      heading.current?.focus({ preventScroll: true });
    }
  }, [route]);
  return (
    <div className={styles["page"]}>
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
      <Announced>{whole}</Announced>
      <TitlePartProvider value={setPart}>{children}</TitlePartProvider>
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
