// Foreign Markdown text, with HTML of an allow-list. It is data: no images, and only http and https
// links. The Markdown parser is loaded if there is markup, the HTML parser if a `<` occurs, the
// entity names if one may occur.

import { lazy, Suspense, use } from "react";
import { text } from "../text/text";
import { hasEntities, loadEntities } from "./markdown/entities";
import type { HeadingLevel } from "./markdown/tidied";
import styles from "./Markdown.module.css";
import { Part } from "./Part";

const Parsed = lazy(() => import("./markdown/MarkdownParsed"));
const WithHtml = lazy(() => import("./markdown/MarkdownWithHtml"));

/**
 * One line without any character that is special in Markdown: most descriptions, for which no
 * parser is loaded.
 */
const PLAIN = /^(?!\s*([+-]|\d+[.)])\s)(?!.*(:\/\/|www\.))[\p{L}\p{N} ,.;:'"()%?/–-]*$/u;

/** Lines that nest more quotes and lists than the maximum depth of a text. */
const DEEP = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){65}/m;

/** Longer texts are shown as they are: parsing would block the browser for seconds. */
const PARSED_CHARACTERS_MAX = 100_000;

interface MarkdownProps {
  source: string;
  /** Level of its first heading: 2 below the page title. */
  headings?: HeadingLevel;
}

export function Markdown({ source, headings = 3 }: MarkdownProps) {
  return <div className={styles["markdown"]}>{contentOf(source, headings)}</div>;
}

function Shown({ source, headings }: Required<MarkdownProps>) {
  if (hasEntities(source)) use(loadEntities());
  const Parser = source.includes("<") ? WithHtml : Parsed;
  return <Parser source={source} headings={headings} />;
}

function contentOf(source: string, headings: HeadingLevel) {
  if (PLAIN.test(source)) return <p>{source}</p>;
  const asWritten = <p className={styles["written"]}>{source}</p>;
  if (source.length > PARSED_CHARACTERS_MAX || DEEP.test(source)) return asWritten;
  const failed = (
    <>
      <p className={styles["failed"]}>{text.ui.textFailed}</p>
      {asWritten}
    </>
  );
  return (
    <Part key={source} fallback={failed}>
      <Suspense fallback={asWritten}>
        <Shown source={source} headings={headings} />
      </Suspense>
    </Part>
  );
}
