import { Link, type LinkProps } from "@tanstack/react-router";
import { Fragment } from "react";
import { text } from "../text/text";
import styles from "./Breadcrumbs.module.css";

export interface Crumb {
  label: string;
  /** Absent for the page itself. */
  link?: LinkProps;
}

export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label={text.ui.breadcrumbs} className={styles["crumbs"]}>
      {crumbs.map(({ label, link }, index) => (
        <Fragment key={label}>
          {index > 0 && <span aria-hidden="true"> / </span>}
          {link ? <Link {...link}>{label}</Link> : <span aria-current="page">{label}</span>}
        </Fragment>
      ))}
    </nav>
  );
}
