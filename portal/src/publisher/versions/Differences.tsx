// The differences of two contents of an API's versions, by group: what changed, before and after.

import type { Change, ChangeGroup, Difference } from "../../api/queries/revisions";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { Method } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { Code } from "../../ui/Code";
import { LongTable } from "../../ui/LongTable";
import { Note } from "../../ui/Note";
import { type Column, Table } from "../../ui/Table";
import { ChangeCards } from "../document/ChangeCards";
import styles from "./Differences.module.css";
import { groupsOf, isDigest, isSecret, memberOf, shownValue } from "./change_groups";
import { labelOf } from "./change_labels";

const { compare: words, document, contract } = text.publisher.version.revisions;

export function Differences({ difference }: { difference: Difference }) {
  const groups = groupsOf(difference.changes);
  return (
    <>
      {difference.truncated && <Note tone="information">{words.truncated}</Note>}
      {difference.document && <DocumentCard comparison={difference.document} />}
      {difference.contract && <ContractCard comparison={difference.contract} />}
      {[...groups].map(([group, changes]) => (
        <Group key={group} group={group} changes={changes} />
      ))}
    </>
  );
}

function Group({ group, changes }: { group: ChangeGroup; changes: readonly Change[] }) {
  const title = words.groups[group];
  return (
    <Card title={title} note={words.summary(count(changes.length))} flush>
      <LongTable
        label={title}
        columns={COLUMNS}
        rows={changes}
        keyOf={({ operation, pointer }) => `${operation} ${pointer}`}
        step={ROWS}
      />
    </Card>
  );
}

/** Number of rows of a group that are shown at a time. */
const ROWS = 50;

const COLUMNS: readonly Column<Change>[] = [
  { title: words.what, isName: true, cell: (change) => <What change={change} /> },
  { title: words.before, cell: (change) => <Value change={change} side="before" /> },
  { title: words.after, cell: (change) => <Value change={change} side="after" /> },
];

function What({ change }: { change: Change }) {
  const member = memberOf(change);
  const label = labelOf(change);
  return (
    <span className={styles["what"]}>
      {change.operation != null && <Operation name={change.operation} />}
      {label !== undefined && <span>{label}</span>}
      {member !== "" && <code>{member}</code>}
    </span>
  );
}

/** An operation: method and path, or the name of a SOAP operation. */
function Operation({ name }: { name: string }) {
  const [method, path] = name.split(" ", 2);
  if (method === undefined || path === undefined) return <code>{name}</code>;
  return (
    <span>
      <Method name={method} /> <code>{path}</code>
    </span>
  );
}

interface ValueProps {
  change: Change;
  side: "before" | "after";
}

function Value({ change, side }: ValueProps) {
  const value: unknown = change[side];
  if (value === undefined) return <span className={styles["none"]}>{text.ui.none}</span>;
  if (isDigest(change)) {
    const isOther = side === "after" && change.before !== undefined;
    return isOther ? words.anotherOne : words.present;
  }
  if (isSecret(change)) {
    const isChanged = side === "after" && change.before !== undefined;
    return isChanged ? words.secretChanged : words.secret;
  }
  const shown = shownValue(value);
  if (shown.isInline) return <code>{shown.text}</code>;
  const member = [change.operation, memberOf(change)].filter(Boolean).join(" ");
  return (
    <div className={styles["frame"]}>
      <Code label={words.value(member, words[side])} value={shown.text} />
    </div>
  );
}

function DocumentCard({ comparison }: { comparison: NonNullable<Difference["document"]> }) {
  const { outcome, difference, detail } = comparison;
  if (difference) {
    const { breaking } = difference;
    const note = breaking > 0 ? document.breaking(count(breaking)) : document.compatible;
    return <ChangeCards compared={{ difference }} title={document.title} note={note} />;
  }
  return (
    <Card title={document.title}>
      <Outcome outcome={outcome} detail={detail} words={document} />
    </Card>
  );
}

type Contract = NonNullable<Difference["contract"]>;

function ContractCard({ comparison: { outcome, operations, detail } }: { comparison: Contract }) {
  if (operations.length === 0) {
    return (
      <Card title={contract.title}>
        <Outcome outcome={outcome} detail={detail} words={contract} />
      </Card>
    );
  }
  return (
    <Card title={contract.title} flush>
      <Table
        label={contract.title}
        columns={CONTRACT_COLUMNS}
        rows={operations}
        keyOf={({ operation }) => operation}
      />
    </Card>
  );
}

const CONTRACT_COLUMNS: readonly Column<Contract["operations"][number]>[] = [
  {
    title: contract.operation,
    isName: true,
    cell: ({ operation }) => <code>{operation}</code>,
  },
  { title: contract.what, value: ({ reasons }) => reasons.join("; ") },
];

interface OutcomeProps {
  outcome: Contract["outcome"];
  detail: string | null | undefined;
  words: { added: string; removed: string; same: string };
}

/** The result of a comparison without differences to list. */
function Outcome({ outcome, detail, words }: OutcomeProps) {
  if (outcome === "unreadable") return <Note tone="warning">{detail}</Note>;
  return <p>{outcome === "compared" ? words.same : words[outcome]}</p>;
}
