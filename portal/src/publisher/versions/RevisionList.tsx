// The revisions of a version, newest first.

import { useInfiniteQuery } from "@tanstack/react-query";
import { type Revision, revisions } from "../../api/queries/revisions";
import { paths } from "../../paths";
import { text } from "../../text/text";
import { Badge } from "../../ui/Badge";
import { ButtonLink } from "../../ui/Button";
import { List } from "../../ui/List";
import { Row } from "../../ui/Row";
import { type Column, timeColumn } from "../../ui/Table";
import { type Acting, RevisionActions, type Verb } from "./RevisionActions";

const words = text.publisher.version.revisions;
const VERBS: readonly Verb[] = ["deploy", "editFrom", "delete"];

interface RevisionListProps {
  /** The version. */
  id: string;
  onAct: (acting: Acting) => void;
}

export function RevisionList({ id, onAct }: RevisionListProps) {
  const list = revisions(id);
  const { data } = useInfiniteQuery(list.pages);
  return (
    <List
      list={list}
      empty={words.empty}
      file="revisions"
      label={words.title}
      columns={[...COLUMNS, actionsOf(id, data?.items ?? [], onAct)]}
      keyOf={({ id }) => id}
    />
  );
}

const COLUMNS: readonly Column<Revision>[] = [
  {
    title: words.number,
    isName: true,
    value: ({ number }) => number,
    cell: ({ number, is_deployed }) => (
      <>
        {number} {is_deployed && <Badge tone="good">{words.served}</Badge>}
      </>
    ),
  },
  { title: words.author, value: (it) => it.created_by_name ?? it.created_by },
  timeColumn(words.created, ({ created_at }) => created_at),
  { title: words.note, value: ({ note }) => note },
];

function actionsOf(
  id: string,
  rows: readonly Revision[],
  onAct: (acting: Acting) => void,
): Column<Revision> {
  return {
    title: "",
    cell: (revision) => {
      const { number } = revision;
      const before = rows[rows.indexOf(revision) + 1];
      return (
        <Row>
          {before && (
            <ButtonLink
              small
              look="quiet"
              aria-label={words.changes.label(number)}
              {...paths.versionRevisions(id, { from: before.number, to: number })}
            >
              {words.changes.button}
            </ButtonLink>
          )}
          <RevisionActions revision={revision} verbs={VERBS} onAct={onAct} />
        </Row>
      );
    },
  };
}
