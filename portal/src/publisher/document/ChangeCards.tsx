// The differences of two documents: what breaks callers, what could not be judged, the rest.

import { useState } from "react";
import type { AccessChange, AddedOperation } from "../../api/queries/documents";
import type { PlacedChange } from "../../text/document_changes";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Announced } from "../../ui/Announced";
import { Card, Figures } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { LongList } from "../../ui/LongList";
import { Note } from "../../ui/Note";
import { OperationName } from "../../ui/OperationName";
import { Sentence } from "../../ui/Sentence";
import { SearchField } from "../../ui/SearchField";
import { accessInWords } from "../versions/security_changes";
import styles from "./Document.module.css";
import { RemovedCard } from "./RemovedCard";
import { RuleButton } from "./RuleButton";
import { type Compared, countOf, findChanges, judgedChanges } from "./judged_changes";

const words = text.publisher.version.document;

/** A shorter list is read at a glance. */
const SEARCHED_MIN = 12;

interface ChangeCardsProps {
  compared: Compared;
  /** Title of the first card, and a sentence below it. */
  title?: string;
  note?: string;
}

export function ChangeCards({ compared, title, note }: ChangeCardsProps) {
  const [q, setQ] = useState("");
  const all = judgedChanges(compared);
  const found = findChanges(all, q);
  const { breaking, unjudged, other } = countOf(all);
  const total = breaking + unjudged + other;
  return (
    <>
      <Announced>{words.compared(count(breaking), count(unjudged), count(other))}</Announced>
      <Card title={title} note={note} flush>
        <Figures
          figures={[
            { label: words.figures.breaking, value: count(breaking) },
            { label: words.figures.unjudged, value: count(unjudged) },
            { label: words.figures.other, value: count(other) },
          ]}
        />
      </Card>
      {!compared.difference && <Note tone="information">{words.notCompared}</Note>}
      {compared.difference?.truncated && <Note tone="warning">{words.truncated}</Note>}
      {total === 0 && <Note tone="good">{words.nothingChanged}</Note>}
      {total > SEARCHED_MIN && <SearchField label={words.search} value={q} onSearch={setQ} />}
      {total > 0 && found !== all && Object.values(found).every(({ length }) => length === 0) && (
        <Card flush>
          <Empty>{words.noHit}</Empty>
        </Card>
      )}
      <RemovedCard removed={found.removed} />
      <ChangesCard changes={found.breaking} words={words.breaking} />
      <ChangesCard changes={found.unjudged} words={words.unjudged} />
      <AddedCard added={found.unscoped} words={words.unscoped} />
      <AccessCard access={found.access} />
      <AddedCard added={found.added} words={words.added} />
      <ChangesCard changes={found.compatible} words={words.compatible} />
    </>
  );
}

interface CardWords {
  title: (n: string) => string;
  note?: string;
  /** The label of the button that shows the whole list. */
  all: string;
}

interface ChangesCardProps {
  changes: readonly PlacedChange[];
  words: CardWords;
}

function ChangesCard({ changes, words: { title, note, all } }: ChangesCardProps) {
  if (changes.length === 0) return null;
  return (
    <Card title={title(count(changes.length))} note={note}>
      <LongList all={all}>
        {changes.map((change, index) => (
          <li key={index}>
            <Change {...change} />
          </li>
        ))}
      </LongList>
    </Card>
  );
}

function Change({ method, path, sentence, breaking, of, pointer }: PlacedChange) {
  return (
    <>
      {path === undefined ? words.change.general : <OperationName method={method} name={path} />}
      <span>
        <Sentence>{sentence}</Sentence>
      </span>
      <span className={styles["facts"]}>
        {breaking != null && <RuleButton rule={breaking} />}
        <span className={styles["small"]}>
          {words.change[of]} <code>{pointer}</code>
        </span>
      </span>
    </>
  );
}

interface AddedCardProps {
  added: readonly AddedOperation[];
  words: CardWords & { warning?: string };
}

function AddedCard({ added, words: { title, all, warning } }: AddedCardProps) {
  if (added.length === 0) return null;
  return (
    <Card title={title(count(added.length))}>
      {warning && <Note tone="warning">{warning}</Note>}
      <LongList all={all}>
        {added.map(({ method, path, access }) => (
          <li key={`${method} ${path}`}>
            <OperationName method={method} name={path} />
            <span className={styles["small"]}>{words.added.needs(accessInWords(access))}</span>
          </li>
        ))}
      </LongList>
    </Card>
  );
}

function AccessCard({ access }: { access: readonly AccessChange[] }) {
  if (access.length === 0) return null;
  const { title, all, change } = words.access;
  return (
    <Card title={title(count(access.length))}>
      <LongList all={all}>
        {access.map(({ method, path, before, now }) => (
          <li key={`${method} ${path}`}>
            <OperationName method={method} name={path} />
            <span>{change(accessInWords(before), accessInWords(now))}</span>
          </li>
        ))}
      </LongList>
    </Card>
  );
}
