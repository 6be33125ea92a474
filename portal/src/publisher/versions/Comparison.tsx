// The comparison of two contents of a version: the choice of both sides, and what differs.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  type Difference,
  type Revision,
  type RevisionsSearch,
  type Side,
  difference,
  readSide,
  revisions,
} from "../../api/queries/revisions";
import type { Version } from "../../api/queries/versions";
import { paths } from "../../paths";
import { count, dateTime } from "../../text/format";
import { text } from "../../text/text";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty } from "../../ui/Empty";
import { type Choice, Select } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { Row } from "../../ui/Row";
import styles from "./Comparison.module.css";
import { Differences } from "./Differences";
import { type Acting, RevisionActions } from "./RevisionActions";

const words = text.publisher.version.revisions;

interface ChooseSidesProps {
  version: Version;
  /** The compared sides, if a comparison is open. */
  search: RevisionsSearch;
}

/** Both sides to choose from; a choice opens the comparison. */
export function ChooseSides({ version, search }: ChooseSidesProps) {
  const { id, deployed_revision: deployed } = version;
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(revisions(id).pages);
  const newest = data?.items[0]?.number;
  const { from = deployed == null ? newest : "deployed", to = "draft" } = search;
  // There is nothing to compare a draft with.
  if (from === undefined) return null;
  const compare = (sides: { from: Side; to: Side }) =>
    void navigate(paths.versionRevisions(id, sides));
  const choices = (chosen: Side) => choicesOf(version, data?.items ?? [], chosen);
  return (
    <Card title={words.compare.title}>
      <div className={styles["sides"]}>
        <Select
          label={words.compare.from}
          value={String(from)}
          choices={choices(from)}
          onChange={(value) => compare({ from: sideOf(value), to })}
        />
        <Select
          label={words.compare.to}
          value={String(to)}
          choices={choices(to)}
          onChange={(value) => compare({ from, to: sideOf(value) })}
        />
        {isComparison(search) ? (
          <ButtonLink {...paths.versionRevisions(id)}>{words.compare.all}</ButtonLink>
        ) : (
          <ButtonLink {...paths.versionRevisions(id, { from, to })}>
            {words.compare.compare}
          </ButtonLink>
        )}
      </div>
    </Card>
  );
}

/** Returns whether the address names a comparison. */
export const isComparison = ({ from, to }: RevisionsSearch): boolean =>
  from !== undefined || to !== undefined;

/** The value of a choice is a side as text. */
const sideOf = (value: string): Side => readSide(value) ?? Number(value);

/** Returns the sides to choose from; `chosen` may be a revision that is not loaded. */
function choicesOf(
  { deployed_revision: deployed }: Version,
  loaded: readonly Revision[],
  chosen: Side,
): Choice<string>[] {
  const choices: Choice<string>[] = [{ value: "draft", label: words.compare.draft }];
  if (deployed != null) {
    choices.push({ value: "deployed", label: words.compare.deployed(deployed) });
  }
  for (const { number, note, created_at } of loaded) {
    const detail = [dateTime(created_at), note].filter(Boolean).join(" · ");
    choices.push({ value: String(number), label: words.named(number), detail });
  }
  if (typeof chosen === "number" && !loaded.some(({ number }) => number === chosen)) {
    choices.push({ value: String(chosen), label: words.named(chosen) });
  }
  return choices;
}

interface ComparisonProps {
  /** The version. */
  id: string;
  search: RevisionsSearch;
  onAct: (acting: Acting) => void;
}

export function Comparison({ id, search, onAct }: ComparisonProps) {
  const { from = "deployed", to = "draft" } = search;
  const query = useQuery(difference(id, from, to));
  return (
    <Loaded query={query}>
      {(difference) => (
        <>
          <Heading difference={difference} onAct={onAct} />
          <Differences difference={difference} />
        </>
      )}
    </Loaded>
  );
}

interface HeadingProps {
  difference: Difference;
  onAct: (acting: Acting) => void;
}

/** The compared sides, the number of differences, and what can be done with the newer side. */
function Heading({ difference, onAct }: HeadingProps) {
  const { from, to, changes } = difference;
  const { revision } = to;
  return (
    <Card
      title={words.compare.sides(nameOf(from), nameOf(to))}
      note={changes.length > 0 && words.compare.summary(count(changes.length))}
      actions={
        revision && (
          <Row>
            <RevisionActions revision={revision} verbs={["deploy", "editFrom"]} onAct={onAct} />
          </Row>
        )
      }
      flush
    >
      {changes.length === 0 && <Empty>{words.compare.same}</Empty>}
    </Card>
  );
}

function nameOf({ revision }: Difference["from"]): string {
  return revision ? words.named(revision.number) : words.compare.draft;
}
