// The differences of a new contract from the previous one.

import type { OperationChange, ReplacedContract } from "../../api/queries/documents";
import { sentence } from "../../text/sentence";
import { text } from "../../text/text";
import { Badge, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { LongList } from "../../ui/LongList";
import { Note } from "../../ui/Note";
import { OperationName } from "../../ui/OperationName";
import styles from "./Document.module.css";

const words = text.publisher.version.document.contract;

type ChangeWord = OperationChange["change"];

const TONES: Record<ChangeWord, Tone> = { added: "good", removed: "bad", changed: "warning" };
const ORDER: readonly ChangeWord[] = ["removed", "changed", "added"];

export function ContractChanges({ replaced }: { replaced: ReplacedContract }) {
  const changes = changesOf(replaced);
  return (
    <>
      {replaced.proposed_upstream && (
        <Note tone="information">{words.upstream(replaced.proposed_upstream)}</Note>
      )}
      <Card title={words.differences}>
        {changes.length === 0 ? (
          <p>{words.unchanged}</p>
        ) : (
          <LongList all={words.all}>
            {changes.map((change) => (
              <li key={change.operation}>
                <Change {...change} />
              </li>
            ))}
          </LongList>
        )}
      </Card>
    </>
  );
}

/** Returns one change for each operation, removed ones first. */
function changesOf({ added, removed, changes }: ReplacedContract): OperationChange[] {
  const listed = new Set(changes.map(({ operation }) => operation));
  const others = (names: readonly string[], change: ChangeWord) =>
    names.filter((name) => !listed.has(name)).map((operation) => ({ operation, change }));
  const all = [...changes, ...others(removed, "removed"), ...others(added, "added")];
  return ORDER.flatMap((word) => all.filter(({ change }) => change === word));
}

function Change({ operation, change, reasons, before, now }: OperationChange) {
  const resourceOf = (resource: typeof now) => resource && `${resource.method} ${resource.path}`;
  const [old, present] = [resourceOf(before), resourceOf(now)];
  const shown = old && present && old !== present ? words.resource(old, present) : (present ?? old);
  return (
    <>
      <span className={styles["facts"]}>
        <OperationName name={operation} />
        <Badge tone={TONES[change]}>{words.changes[change]}</Badge>
      </span>
      {shown && <code className={styles["small"]}>{shown}</code>}
      {reasons?.map((reason) => (
        <span key={reason}>{sentence(reason)}</span>
      ))}
    </>
  );
}
