// The result of a query: a skeleton while it is loading, the problem if it failed, else its
// content.

import { type ReactNode, useEffect, useState } from "react";
import { text } from "../text/text";
import { ProblemNote } from "./ProblemNote";
import styles from "./Loaded.module.css";

/** Faster responses need no skeleton. */
const SKELETON_AFTER_MS = 150;

/** The common part of the results of `useQuery` and `useInfiniteQuery`. */
export interface Question<T> {
  data: T | undefined;
  isError: boolean;
  error: unknown;
  refetch: () => Promise<unknown>;
}

interface LoadedProps<T> {
  query: Question<T>;
  children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <ProblemNote error={query.error} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError)
    return <ProblemNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton />;
}

export function Skeleton() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className={styles["skeleton"]} role="status" aria-label={text.ui.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}
