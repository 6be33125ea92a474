// Text that somebody has written in Markdown. It is data: no HTML, no pictures, links http and
// https only. The parser is loaded where there is something to parse.

import { lazy, Suspense } from "react";
import styles from "./Markdown.module.css";

const Parsed = lazy(() => import("./MarkdownParsed"));

/**
 * Words of one line, without any sign that Markdown knows: most descriptions, for which no parser
 * is loaded.
 */
const PLAIN = /^(?!\s*([+-]|\d+[.)])\s)(?!.*(:\/\/|www\.))[\p{L}\p{N} ,.;:'"()%?/–-]*$/u;

export function Markdown({ source }: { source: string }) {
  return (
    <div className={styles["markdown"]}>
      {PLAIN.test(source) ? (
        <p>{source}</p>
      ) : (
        <Suspense fallback={<p>{source}</p>}>
          <Parsed source={source} />
        </Suspense>
      )}
    </div>
  );
}
