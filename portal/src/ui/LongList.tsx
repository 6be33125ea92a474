// A list that may be long: its beginning, and the rest on request.

import { type ReactNode, useState } from "react";
import { count } from "../text/format";
import { text } from "../text/text";
import { Button } from "./Button";
import styles from "./LongList.module.css";

/** Items shown before "Show all", and at most as many as render quickly. */
const SHOWN = 12;
const SHOWN_MAX = 500;

interface LongListProps {
  /** Label of the button that shows all items. */
  all: string;
  children: readonly ReactNode[];
}

export function LongList({ all, children }: LongListProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <ul className={styles["list"]}>{children.slice(0, isWhole ? SHOWN_MAX : SHOWN)}</ul>
      {!isWhole && children.length > SHOWN && (
        <div>
          <Button small onPress={() => setWhole(true)}>
            {all}
          </Button>
        </div>
      )}
      {isWhole && children.length > SHOWN_MAX && (
        <p>{text.ui.shown(count(SHOWN_MAX), count(children.length))}</p>
      )}
    </>
  );
}
