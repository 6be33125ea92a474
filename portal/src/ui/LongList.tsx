// A list that may be long: its beginning, and the rest on request.

import { type ReactNode, useState } from "react";
import { Button } from "./Button";
import styles from "./LongList.module.css";
import { More } from "./More";

/** Items shown before "Show all", and as many as render quickly, which are added at a time. */
const SHOWN = 12;
const STEP = 500;

interface LongListProps {
  /** Label of the button that shows all items. */
  all: string;
  children: readonly ReactNode[];
}

export function LongList({ all, children }: LongListProps) {
  const [shown, setShown] = useState(SHOWN);
  const total = children.length;
  return (
    <>
      <ul className={styles["list"]}>{children.slice(0, shown)}</ul>
      {shown === SHOWN && total > SHOWN && (
        <div>
          <Button small onPress={() => setShown(STEP)}>
            {all}
          </Button>
        </div>
      )}
      {shown > SHOWN && total > shown && (
        <More shown={shown} total={total} isPending={false} onMore={() => setShown(shown + STEP)} />
      )}
    </>
  );
}
