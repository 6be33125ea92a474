// What is in the key of a stored response, and what the upstream does not get for that reason.

import type { Configuration } from "../../api/queries/versions";
import { text } from "../../text/text";
import { Facts } from "../../ui/Card";
import { linesOf } from "../policies/step_fields";
import styles from "./KeyFacts.module.css";
import type { CacheFields } from "./cache_fields";

const words = text.publisher.version.cache.key;

interface KeyFactsProps {
  cache: CacheFields;
  draft: Configuration;
}

export function KeyFacts({ cache, draft }: KeyFactsProps) {
  const named = (lines: string, empty: string) => linesOf(lines).join(", ") || empty;
  const isWhole = cache.query === null;
  const hasIdentity = draft.identity === "headers";
  return (
    <div className={styles["key"]} role="group" aria-label={words.title}>
      <h3>{words.title}</h3>
      <Facts
        facts={[
          [words.always, words.alwaysThese],
          [words.callers, hasIdentity ? words.identity : words.callersOf[cache.share]],
          [words.query, cache.query === null ? words.whole : named(cache.query, words.noQuery)],
          [words.headers, named(cache.headers, text.ui.none)],
          [words.steps, words.stepsThese],
          [words.passes, named(cache.pass, text.ui.none)],
          [words.leftOut, isWhole ? words.leftOutThese : words.leftOutQuery],
        ]}
      />
    </div>
  );
}
