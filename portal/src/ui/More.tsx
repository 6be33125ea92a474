// The end of a list: the number of rows shown, and the next page.

import type { ReactNode } from "react";
import { count } from "../text/format";
import { text } from "../text/text";
import { Button } from "./Button";
import styles from "./More.module.css";

interface MoreProps {
  shown: number;
  total: number;
  /** Absent on the last page. */
  onMore?: (() => void) | undefined;
  isPending: boolean;
  /** Further actions. */
  children?: ReactNode;
}

export function More({ shown, total, onMore, isPending, children }: MoreProps) {
  return (
    <div className={styles["more"]}>
      <p role="status">{text.ui.shown(count(shown), count(total))}</p>
      {onMore && (
        <Button isPending={isPending} onPress={onMore}>
          {text.ui.more}
        </Button>
      )}
      {children}
    </div>
  );
}
