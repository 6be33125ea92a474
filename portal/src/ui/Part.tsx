// A part of a page that may fail, since it shows what others have written: where it fails, one
// sentence is in its place, and the rest of the page is as it was.

import { Component, type ReactNode } from "react";
import { text } from "../text/text";
import styles from "./Part.module.css";

interface PartProps {
  /** In its place; by default one sentence. */
  fallback?: ReactNode;
  children: ReactNode;
}

/** React finds failures only by a class. A part that shows something else needs a new `key`. */
export class Part extends Component<PartProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return this.props.fallback ?? <p className={styles["failed"]}>{text.ui.partFailed}</p>;
  }
}
