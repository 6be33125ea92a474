// The operations of an API. Of thousands only those in sight are in the page.

import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { paths } from "../paths";
import { text } from "../text/text";
import { Announced } from "../ui/Announced";
import { Method } from "../ui/Badge";
import { Select } from "../ui/Field";
import { SearchField } from "../ui/SearchField";
import type { Contents, OperationHead } from "./document/operations";
import styles from "./OperationList.module.css";

const words = text.reference;
/** Fewer need no search. */
const SEARCH_FROM = 8;
/** Pixels of a row, as the style sheet has it. */
const ROW = 32;
/** Rows beyond those in sight, above and below. */
const SPARE = 8;
const EVERY = "";

interface OperationListProps {
  version: string;
  contents: Contents;
  /** The slug of the one that is open. */
  present: string;
}

export function OperationList({ version, contents, present }: OperationListProps) {
  const [search, setSearch] = useState("");
  const [tag, setTag] = useState(EVERY);
  const { operations, tags } = contents;
  const found = useMemo(() => find(operations, search, tag), [operations, search, tag]);
  const choices = [EVERY, ...tags].map((value) => ({ value, label: value || words.allTags }));
  return (
    <nav className={styles["operations"]} aria-label={words.operations}>
      {operations.length >= SEARCH_FROM && (
        <SearchField label={words.search} value={search} onSearch={setSearch} />
      )}
      {tags.length > 1 && (
        <Select label={words.tag} isLabelHidden value={tag} choices={choices} onChange={setTag} />
      )}
      <Announced>{search === "" ? "" : words.operationsOf(found.length)}</Announced>
      {found.length === 0 ? (
        <p className={styles["none"]}>{words.noneFound}</p>
      ) : (
        <Rows version={version} operations={found} present={present} />
      )}
    </nav>
  );
}

function find(operations: readonly OperationHead[], search: string, tag: string) {
  const parts = search.toLowerCase().split(/\s+/);
  return operations.filter(({ title, method, path, tags }) => {
    if (tag !== EVERY && !tags.includes(tag)) return false;
    const all = `${method} ${path} ${title}`.toLowerCase();
    return parts.every((part) => all.includes(part));
  });
}

interface RowsProps {
  version: string;
  operations: readonly OperationHead[];
  present: string;
}

function Rows({ version, operations, present }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const chosen = operations.findIndex(({ slug }) => slug === present);
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = frame.current ?? {};
    // In steps, so that not every pixel draws the rows anew.
    const step = Math.floor(top / ROW) * ROW;
    setSeen((before) =>
      before.top === step && before.height === height ? before : { top: step, height },
    );
  };
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const isOutside =
      chosen * ROW < current.scrollTop ||
      (chosen + 1) * ROW > current.scrollTop + current.clientHeight;
    if (chosen >= 0 && isOutside) current.scrollTop = (chosen - 2) * ROW;
    look();
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, [chosen]);
  const first = Math.max(0, Math.floor(seen.top / ROW) - SPARE);
  const last = Math.min(operations.length, Math.ceil((seen.top + seen.height) / ROW) + SPARE);
  return (
    <div className={styles["frame"]} ref={frame} onScroll={look}>
      <ul style={{ paddingTop: first * ROW, paddingBottom: (operations.length - last) * ROW }}>
        {operations.slice(first, last).map((head, at) => (
          <li key={head.slug} aria-setsize={operations.length} aria-posinset={first + at + 1}>
            <Link
              {...paths.operation(version, head.slug)}
              className={styles["row"]}
              data-present={head.slug === present || undefined}
              aria-current={head.slug === present ? "page" : undefined}
              title={`${head.method} ${head.path}`}
              resetScroll={false}
            >
              <Method name={head.badge ?? head.method} />
              <span className={head.isDeprecated ? styles["deprecated"] : styles["title"]}>
                {head.title}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
