// The operations of an API, grouped by tag. Long lists are virtualized.

import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { paths } from "../paths";
import { text } from "../text/text";
import { Announced } from "../ui/Announced";
import { Method } from "../ui/Badge";
import { Breakable } from "../ui/Breakable";
import { Icon } from "../ui/Icon";
import { SearchField } from "../ui/SearchField";
import { DocsLink } from "./AboutApi";
import type { Contents } from "./document/operations";
import { type Group, type Row, filterGroups, groupsOf, rowsOf } from "./groups";
import styles from "./OperationList.module.css";

const words = text.reference;
/** Shorter lists have no search. */
const SEARCH_FROM = 8;
/** In shorter lists, all groups are open. */
const ALL_OPEN_MAX = 20;
/** Longer lists have rows of a fixed height, and only visible ones are rendered. */
const DRAWN_MAX = 200;
/** Row height in pixels, as in the style sheet. */
const ROW = 44;
/** Rows rendered above and below the visible ones. */
const SPARE = 8;

interface OperationListProps {
  version: string;
  contents: Contents;
  /** Slug of the open operation. */
  present: string;
  /** Id of the element after the list. */
  after: string;
  /** Called with the slug of an operation that may be opened next. */
  onIntent?: (slug: string) => void;
}

export function OperationList({ contents, after, ...shown }: OperationListProps) {
  const { present } = shown;
  const [search, setSearch] = useState("");
  const groups = useMemo(() => groupsOf(contents), [contents]);
  const found = useMemo(() => filterGroups(groups, search), [groups, search]);
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0);
  const folding = useFolding(present, contents.operations.length <= ALL_OPEN_MAX);
  const rows = rowsOf(found, (group) => search !== "" || folding.isOpen(group));
  return (
    <nav className={styles["operations"]} aria-label={words.operations}>
      <a className={styles["skip"]} href={`#${after}`}>
        {words.skipOperations}
      </a>
      {contents.operations.length >= SEARCH_FROM && (
        <SearchField label={words.search} value={search} onSearch={setSearch} />
      )}
      <Announced>{search === "" ? "" : words.operationsOf(count)}</Announced>
      {count === 0 ? (
        <p className={styles["none"]}>{words.noneFound}</p>
      ) : (
        <Rows {...shown} rows={rows} onFold={folding.fold} />
      )}
    </nav>
  );
}

/** Tracks the open groups: that of the current operation, and those that the user opened. */
function useFolding(present: string, isAllOpen: boolean) {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [at, setAt] = useState(present);
  if (at !== present) {
    // Opens the group of a newly selected operation; open groups stay open.
    setAt(present);
    setFolded(new Map([...folded].filter(([, isOpen]) => isOpen)));
  }
  const isOpen = ({ key, operations }: Group) =>
    folded.get(key) ?? (isAllOpen || operations.some(({ slug }) => slug === present));
  const fold = (group: Group) => setFolded(new Map(folded).set(group.key, !isOpen(group)));
  return { isOpen, fold };
}

interface RowsProps {
  version: string;
  rows: readonly Row[];
  present: string;
  onFold: (group: Group) => void;
  onIntent?: (slug: string) => void;
}

function Rows({ rows, present, onFold, ...linked }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isFixed = rows.length > DRAWN_MAX;
  const isPresent = (row: Row) => row.kind === "operation" && row.head.slug === present;
  const chosen = rows.findIndex(isPresent);
  const { first, last, look } = useSight(frame, rows.length, isFixed);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const shown = current.querySelector<HTMLElement>("[aria-current]");
    const top = isFixed ? chosen * ROW : (shown?.offsetTop ?? 0);
    const isOutside =
      top < current.scrollTop || top + ROW > current.scrollTop + current.clientHeight;
    if (chosen >= 0 && isOutside) current.scrollTop = top - 2 * ROW;
    look();
    // Scrolls to the open operation when it changes.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [present, isFixed]);
  const style = { paddingTop: first * ROW, paddingBottom: (rows.length - last) * ROW };
  return (
    <div
      className={styles["frame"]}
      data-fixed={isFixed || undefined}
      ref={frame}
      onScroll={isFixed ? look : undefined}
    >
      <ul {...(isFixed ? { style } : {})}>
        {rows
          .slice(first, last)
          .map((row) =>
            row.kind === "group" ? (
              <GroupRow key={row.key} row={row} onFold={onFold} />
            ) : (
              <OperationRow key={row.key} row={row} isPresent={isPresent(row)} {...linked} />
            ),
          )}
      </ul>
    </div>
  );
}

/** Returns the range of rendered rows. */
function useSight(frame: React.RefObject<HTMLDivElement | null>, count: number, isFixed: boolean) {
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = frame.current ?? {};
    // In steps, so that not every pixel renders the rows again.
    const step = Math.floor(top / ROW) * ROW;
    setSeen((before) =>
      before.top === step && before.height === height ? before : { top: step, height },
    );
  };
  const first = Math.min(Math.max(0, Math.floor(seen.top / ROW) - SPARE), count);
  const last = Math.min(count, Math.ceil((seen.top + seen.height) / ROW) + SPARE);
  return isFixed ? { first, last, look } : { first: 0, last: count, look };
}

interface GroupRowProps {
  row: Extract<Row, { kind: "group" }>;
  onFold: (group: Group) => void;
}

function GroupRow({ row: { group, isOpen }, onFold }: GroupRowProps) {
  return (
    <li className={styles["group"]}>
      <button
        type="button"
        className={styles["fold"]}
        aria-expanded={isOpen}
        onClick={() => onFold(group)}
      >
        <Icon name="down" />
        <span className={styles["name"]}>{group.title}</span>
        <span className={styles["count"]}>{group.operations.length}</span>
      </button>
      {isOpen && group.description && (
        <p className={styles["description"]} title={group.description}>
          {group.description}
        </p>
      )}
      {isOpen && group.docs && (
        <p className={styles["docs"]}>
          <DocsLink docs={group.docs} />
        </p>
      )}
    </li>
  );
}

interface OperationRowProps {
  row: Extract<Row, { kind: "operation" }>;
  version: string;
  isPresent: boolean;
  onIntent?: (slug: string) => void;
}

function OperationRow({ row, version, isPresent, onIntent }: OperationRowProps) {
  const { head, at, size } = row;
  return (
    <li aria-setsize={size} aria-posinset={at + 1}>
      <Link
        {...paths.operation(version, head.slug)}
        className={styles["row"]}
        data-present={isPresent || undefined}
        aria-current={isPresent ? "page" : undefined}
        title={`${head.title}\n${head.method} ${head.path}`}
        resetScroll={false}
        onMouseEnter={() => onIntent?.(head.slug)}
        onFocus={() => onIntent?.(head.slug)}
      >
        <span className={head.isDeprecated ? styles["deprecated"] : styles["title"]}>
          <Breakable>{head.title}</Breakable>
        </span>
        <Method name={head.badge ?? head.method} />
      </Link>
    </li>
  );
}
