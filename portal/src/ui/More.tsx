// The end of a list: how much of it is shown, and the next page.

import type { ReactNode } from "react";
import { count } from "../text/format";
import { text } from "../text/text";
import { Button } from "./Button";
import styles from "./More.module.css";

interface MoreProps {
  shown: number;
  total: number;
  /** Absent where there is no more. */
  onMore?: (() => void) | undefined;
  isPending: boolean;
  /** What else can be done with it. */
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
