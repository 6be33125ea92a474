// Short notices of completed actions, shown for some seconds: saved, not yet in effect, copied.

import { useSyncExternalStore } from "react";
import { Problem } from "../api/problem";
import { text } from "../text/text";
import styles from "./Notices.module.css";

interface Notice {
  id: number;
  words: string;
  tone: "good" | "warning" | "bad";
}

const SHOWN_MS = 6_000;
let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

/** Shows a notice. */
export function notify(words: string, tone: Notice["tone"] = "good"): void {
  const id = ++lastId;
  change([...notices.slice(-2), { id, words, tone }]);
  setTimeout(() => change(notices.filter((notice) => notice.id !== id)), SHOWN_MS);
}

/** Shows a problem that nothing else on the page reports. */
export function notifyProblem(error: unknown): void {
  const problem = Problem.from(error);
  if (problem.isBehind) notify(text.ui.behind, "warning");
  else notify(problem.message, "bad");
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className={styles["notices"]} role="status">
      {shown.map(({ id, words, tone }) => (
        <p key={id} className={`${styles["notice"]} ${styles[tone]}`}>
          {words}
        </p>
      ))}
    </div>
  );
}
