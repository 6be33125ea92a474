// What a deployment changes for callers: the number of differences by group, and security in words.

import { Link } from "@tanstack/react-router";
import type { Difference, Side } from "../../api/queries/revisions";
import { paths } from "../../paths";
import { count } from "../../text/format";
import { text } from "../../text/text";
import { FixedFrame } from "../../ui/FixedFrame";
import { Loaded } from "../../ui/Loaded";
import { Note } from "../../ui/Note";
import { type Column, Table } from "../../ui/Table";
import styles from "./ChangesForCallers.module.css";
import { groupsOf } from "./change_groups";
import { type SecurityChange, securityChanges } from "./security_changes";
import type { Changes, ArrivingChanges } from "./use_changes";

const words = text.publisher.version.deploy;
const { compare, document } = text.publisher.version.revisions;

interface ChangesForCallersProps extends ArrivingChanges {
  /** The version. */
  id: string;
  side: Side;
  /** Called when the user opens the whole comparison. */
  onLeave: () => void;
}

export function ChangesForCallers({
  query,
  isArriving,
  id,
  side,
  onLeave,
}: ChangesForCallersProps) {
  return (
    <FixedFrame label={words.changes} isBusy={isArriving}>
      <Loaded query={query}>
        {(changes) => (
          <>
            <Summary difference={changes.difference} />
            <p>
              <Link
                {...paths.versionRevisions(id, { from: "deployed", to: side })}
                onClick={onLeave}
              >
                {words.whole}
              </Link>
            </p>
            <SecurityTable {...changes} />
          </>
        )}
      </Loaded>
    </FixedFrame>
  );
}

function Summary({ difference: { changes, document: described } }: { difference: Difference }) {
  const breaking = described?.difference?.breaking ?? 0;
  if (changes.length === 0) return <p>{compare.same}</p>;
  return (
    <>
      {breaking > 0 && <Note tone="warning">{document.breaking(count(breaking))}</Note>}
      <ul className={styles["changes"]}>
        {[...groupsOf(changes)].map(([group, found]) => (
          <li key={group}>{compare.group(compare.groups[group], count(found.length))}</li>
        ))}
      </ul>
    </>
  );
}

/** Caller authentication, before and after. */
function SecurityTable({ before, now }: Omit<Changes, "difference">) {
  const changes = securityChanges(before, now);
  if (changes.length === 0) return null;
  const { title, more } = words.security;
  const left = changes.length - SHOWN_MAX;
  return (
    <>
      <h3>{title}</h3>
      <Table
        label={title}
        columns={SECURITY_COLUMNS}
        rows={changes.slice(0, SHOWN_MAX)}
        keyOf={({ what }) => what}
      />
      {left > 0 && <p>{more(left)}</p>}
    </>
  );
}

/** Maximum number of changes of security shown in the dialog. */
const SHOWN_MAX = 20;

const SECURITY_COLUMNS: readonly Column<SecurityChange>[] = [
  { title: words.security.what, isName: true, value: ({ what }) => what },
  { title: words.security.served, value: ({ served }) => served },
  { title: words.security.draft, value: ({ draft }) => draft },
];
