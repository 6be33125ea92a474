// What breaks calls on the way to another version, as far as their documents show it.

import type { CallerDifference } from "../../api/queries/catalogue";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { LongList } from "../../ui/LongList";
import { Note } from "../../ui/Note";
import { OperationName } from "../../ui/OperationName";
import { Sentence } from "../../ui/Sentence";
import { type CallerChange, breaksNothing, callerChanges } from "./moving";

const words = text.moving;

export function WhatBreaks({ difference }: { difference: CallerDifference }) {
  const changes = callerChanges(difference);
  const { breaking, unjudged, isTruncated } = changes;
  return (
    <>
      {breaksNothing(changes) && <Note tone="good">{words.breaksNothing}</Note>}
      {isTruncated && <Note tone="warning">{words.truncated}</Note>}
      <Changes title={words.breaks(count(breaking.length))} changes={breaking} />
      <Changes title={words.unjudged(count(unjudged.length))} changes={unjudged} />
      {!difference.described && <Note tone="information">{words.notDescribed}</Note>}
    </>
  );
}

function Changes({ title, changes }: { title: string; changes: readonly CallerChange[] }) {
  if (changes.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <LongList all={words.all}>
        {changes.map(({ method, name, sentence }, index) => (
          <li key={index}>
            {name === undefined ? words.general : <OperationName method={method} name={name} />}
            <span>
              <Sentence>{sentence}</Sentence>
            </span>
          </li>
        ))}
      </LongList>
    </section>
  );
}
