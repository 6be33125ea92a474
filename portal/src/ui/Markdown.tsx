// Text that somebody has written in Markdown. It is data: no HTML, no pictures, links http and https
// only. The parser is loaded where there is something to parse.

import { lazy, Suspense } from "react";
import styles from "./Markdown.module.css";

const Parsed = lazy(() => import("./MarkdownParsed"));

export function Markdown({ source }: { source: string }) {
  return (
    <div className={styles["markdown"]}>
      <Suspense fallback={<p>{source}</p>}>
        <Parsed source={source} />
      </Suspense>
    </div>
  );
}
