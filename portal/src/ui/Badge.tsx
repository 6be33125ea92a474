// A state as a dot and a word, and HTTP methods. The word has the same meaning as the colour.

import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type Tone = "good" | "warning" | "bad" | "information" | "quiet";

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${styles["badge"]} ${styles[tone]}`}>{children}</span>;
}

const METHOD_TONES: Record<string, Tone> = {
  GET: "information",
  HEAD: "information",
  POST: "good",
  PUT: "warning",
  PATCH: "warning",
  DELETE: "bad",
};

export function Method({ name }: { name: string }) {
  const tone = METHOD_TONES[name] ?? "quiet";
  return <span className={`${styles["method"]} ${styles[tone]}`}>{name}</span>;
}

/** Returns the tone of an HTTP status. */
export function statusTone(status: number): Tone {
  if (status >= 200 && status < 300) return "good";
  if (status === 429) return "warning";
  if (status >= 500 || status === 403) return "bad";
  return status >= 400 ? "quiet" : "information";
}
