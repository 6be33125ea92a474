// An error boundary around a part of a page with foreign content: if it fails, a sentence replaces
// it, and the rest of the page is not affected.

import { Component, type ReactNode } from "react";
import { text } from "../text/text";
import styles from "./Part.module.css";

interface PartProps {
  /** Replacement; by default a sentence. */
  fallback?: ReactNode;
  children: ReactNode;
}

/** A class, as React requires for error boundaries. New content needs a new `key`. */
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
